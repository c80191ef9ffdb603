//! Maven, whose tests are run by Surefire.

use crate::tool::{BuildTool, LeftOut, ToolFacts};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use unflake_protocol::Recipe;

#[derive(Debug)]
pub(super) struct Maven;

const BUILD_FILE: &str = "pom.xml";

const FACTS: ToolFacts = ToolFacts {
    name: "Maven",
    build_files: &[BUILD_FILE],
    wrapper: "mvnw",
    program: "mvn",
    install_hint: "install Maven, or put its `bin` directory on the PATH",
    test_command: "mvn test",
    compile_command: "mvn test-compile",
    agent_variable: "JAVA_TOOL_OPTIONS",
    no_tests_hint: "run `mvn test` and see what it says; tests may be switched off, or no class may match \
                    Surefire's patterns",
    reports: &[
        "target/surefire-reports",
        "target/failsafe-reports",
        "target/surefire",
        "target/site",
        "target/jacoco.exec",
        "target/maven-status",
    ],
    caches: &[".m2/repository"],
    own_properties: &["surefire.real.class.path"],
    own_options: &[],
};

impl BuildTool for Maven {
    fn facts(&self) -> &'static ToolFacts {
        &FACTS
    }

    fn prepare(&self, command: &mut Command, _arguments: &[String], _scratch: &Path) -> io::Result<()> {
        command.args(["--batch-mode", "-Dmaven.test.failure.ignore=true", "test"]);
        Ok(())
    }

    fn compile(&self, command: &mut Command, _scratch: &Path) -> io::Result<()> {
        command.args(["--batch-mode", "test-compile"]);
        Ok(())
    }

    fn select(&self, classes: &[String]) -> Vec<String> {
        selected(classes.iter().map(|class| path(class)))
    }

    fn leave_out(
        &self,
        arguments: &[String],
        left_out: &LeftOut,
        scratch: &Path,
    ) -> io::Result<Vec<Vec<String>>> {
        let not_these = left_out.tests.iter();
        let not_these = not_these.map(|(class, method)| format!("!{}#{method}", path(class)));
        if let Some(asked) = arguments.iter().rfind(|argument| argument.starts_with(TEST)) {
            // Where tests are named, `excludes` do not count.
            let not_classes = left_out.classes.iter().map(|class| format!("!{}", path(class)));
            let names = [asked[TEST.len()..].to_owned()].into_iter();
            let selected = selected(names.chain(not_classes).chain(not_these));
            return Ok(vec![arguments.iter().cloned().chain(selected).collect()]);
        }
        // `-Dtest` would switch off the includes and excludes of the `pom.xml`; a file with more excludes does not, but
        // has no methods in it. So classes of which only some tests are left out run in a build of their own.
        let of_tests: BTreeSet<&String> = left_out.tests.iter().map(|(class, _)| class).collect();
        let file = scratch.join(EXCLUDES);
        let excluded = left_out.classes.iter().chain(of_tests.iter().copied());
        let mut lines: Vec<String> = excluded.map(|class| format!("{}.class", path(class))).collect();
        if !left_out.classes.iter().any(|class| class.contains('$')) {
            // What Surefire excludes if nobody says anything else.
            lines.push("**/*$*".to_owned());
        }
        fs::write(&file, lines.join("\n") + "\n")?;
        let with = |more: Vec<String>| arguments.iter().cloned().chain(more).collect::<Vec<_>>();
        let mut builds = vec![with(vec![format!("-Dsurefire.excludesFile={}", file.display())])];
        let outer: BTreeSet<String> = of_tests.into_iter().map(|class| path(outermost(class))).collect();
        if !outer.is_empty() {
            builds.push(with(selected(outer.into_iter().chain(not_these))));
        }
        Ok(builds)
    }

    fn is_test_class(&self, class: &str) -> bool {
        let name = class.rsplit('.').next().unwrap_or(class);
        name.starts_with("Test")
            || ["Test", "Tests", "TestCase"]
                .iter()
                .any(|end| name.ends_with(end))
    }

    fn has_lost_jvm(&self, output: &str) -> bool {
        // Before 2.19 it reads `without saying properly goodbye`.
        [
            "The forked VM terminated",
            "The forked VM was killed",
            "There was a timeout",
        ]
        .iter()
        .any(|text| output.contains(text))
    }

    fn has_fork_error(&self, output: &str) -> bool {
        // The second is said of a JVM, too, that ran all of its tests and then ended with another status than 0.
        [
            "There was an error in the forked process",
            "Error occurred in starting fork",
        ]
        .iter()
        .any(|text| output.contains(text))
    }

    fn exit_status(&self, output: &str, class: &str) -> Option<i32> {
        let mut seen = BTreeSet::new();
        // Each is followed by the classes that ran there.
        for block in output.split("Process Exit Code: ").skip(1) {
            let digits = block.split(|c: char| !c.is_ascii_digit()).next();
            let Some(status) = digits.and_then(|digits| digits.parse().ok()) else {
                continue;
            };
            if block
                .lines()
                .any(|line| line.split(' ').any(|word| word == class))
            {
                return Some(status);
            }
            seen.insert(status);
        }
        (seen.len() == 1).then(|| seen.pop_first()).flatten()
    }

    fn only_tests_failed(&self, output: &str) -> bool {
        output.contains("There are test failures") && !output.contains("COMPILATION ERROR")
    }

    fn has_reported_tests(&self, output: &str) -> bool {
        output.contains("Tests run:")
    }

    fn errors<'o>(&self, output: &'o str) -> Vec<&'o str> {
        // `Error:` is what the start script and the JVM itself print.
        let is_error = |line: &&str| line.starts_with("[ERROR]") || line.starts_with("Error:");
        output.lines().filter(is_error).collect()
    }

    fn needs_jdk(&self, output: &str) -> bool {
        output.contains("No compiler is provided in this environment")
    }

    fn module_directory(&self, recipe: &Recipe) -> PathBuf {
        // Surefire may be told to start its JVMs in another directory.
        let of_module = recipe.properties.get("basedir");
        of_module.map_or_else(|| recipe.directory.clone(), PathBuf::from)
    }

    fn class_path(&self, recipe: &Recipe) -> Option<String> {
        // The command line has a jar whose manifest names the class path, and which is deleted with the JVM.
        recipe.properties.get("surefire.test.class.path").cloned()
    }

    fn is_test_classes(&self, directory: &Path) -> bool {
        directory.ends_with("test-classes")
    }

    fn version(&self, output: &str) -> Option<String> {
        let mut lines = output.lines();
        lines
            .find(|line| line.starts_with("Apache Maven"))
            .map(str::to_owned)
    }

    /// Only what the `pom.xml` files themselves say: nothing is inherited, and profiles count as switched on.
    fn modules(&self, project: &Path) -> Vec<String> {
        let mut names = Vec::new();
        let mut waiting: Vec<(PathBuf, String)> = vec![(project.to_owned(), String::new())];
        while let Some((directory, prefix)) = waiting.pop() {
            let text = fs::read_to_string(directory.join(BUILD_FILE)).unwrap_or_default();
            for name in module_names(&text) {
                let path = format!("{prefix}{name}");
                if !names.contains(&path) && directory.join(&name).join(BUILD_FILE).is_file() {
                    waiting.push((directory.join(&name), format!("{path}/")));
                    names.push(path);
                }
            }
        }
        names.sort();
        names
    }
}

/// The argument that names the tests to run.
const TEST: &str = "-Dtest=";

/// The file with the classes not to run.
const EXCLUDES: &str = "excludes";

/// The arguments that limit a run to these patterns.
fn selected(patterns: impl Iterator<Item = String>) -> Vec<String> {
    let patterns: Vec<String> = patterns.collect();
    // In most modules none of the classes exists. The two names are those of Surefire before and since 3.0.
    vec![
        format!("{TEST}{}", patterns.join(",")),
        "-DfailIfNoTests=false".to_owned(),
        "-Dsurefire.failIfNoSpecifiedTests=false".to_owned(),
    ]
}

/// A class as Surefire's patterns name it.
fn path(class: &str) -> String {
    class.replace('.', "/")
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

fn module_names(pom: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = pom;
    while let Some((before, comment)) = rest.split_once("<!--") {
        text.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let parts = text.split("<module>").skip(1);
    parts
        .filter_map(|part| part.split_once("</module>"))
        .map(|(name, _)| name.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn recipe(directory: &str, properties: &[(&str, &str)]) -> Recipe {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        Recipe {
            java: "/jdk/bin/java".into(),
            arguments: Vec::new(),
            argument_files: BTreeMap::new(),
            directory: directory.into(),
            environment: BTreeMap::new(),
            properties: properties.iter().map(owned).collect(),
            launcher: Vec::new(),
        }
    }

    #[test]
    fn classes_are_selected_as_paths() {
        let select = |classes: &[&str]| {
            let classes: Vec<String> = classes.iter().map(|class| (*class).to_owned()).collect();
            Maven.select(&classes)
        };
        assert_eq!(
            select(&["a.OrderTest", "Other*"]),
            [
                "-Dtest=a/OrderTest,Other*",
                "-DfailIfNoTests=false",
                "-Dsurefire.failIfNoSpecifiedTests=false"
            ]
        );
        assert_eq!(select(&["a.b.*Test"])[0], "-Dtest=a/b/*Test");
    }

    fn left_out(classes: &[&str], tests: &[(&str, &str)]) -> LeftOut {
        let pair = |(class, method): &(&str, &str)| ((*class).to_owned(), (*method).to_owned());
        LeftOut {
            classes: classes.iter().map(|class| (*class).to_owned()).collect(),
            tests: tests.iter().map(pair).collect(),
        }
    }

    #[test]
    fn what_is_left_out_does_not_change_what_the_project_says_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let builds = |arguments: &[&str], left_out: &LeftOut| {
            let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
            let builds = Maven.leave_out(&arguments, left_out, folder.path()).unwrap();
            let shown = |words: Vec<String>| words.join(" ").replace(folder.path().to_str().unwrap(), "S");
            builds.into_iter().map(shown).collect::<Vec<_>>()
        };
        let more = "-DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false";
        let both = left_out(&["a.A"], &[("a.B", "x"), ("a.B$In", "y")]);
        assert_eq!(
            builds(&["-o"], &both),
            [
                "-o -Dsurefire.excludesFile=S/excludes".to_owned(),
                format!("-o -Dtest=a/B,!a/B#x,!a/B$In#y {more}"),
            ]
        );
        let file = || fs::read_to_string(folder.path().join("excludes")).unwrap();
        assert_eq!(file(), "a/A.class\na/B.class\na/B$In.class\n**/*$*\n");
        // A project whose nested classes run says so in its `pom.xml`.
        let nested = left_out(&["a.A$Nested"], &[]);
        assert_eq!(builds(&[], &nested), ["-Dsurefire.excludesFile=S/excludes"]);
        assert_eq!(file(), "a/A$Nested.class\n");
        // Where tests are named, the last name counts.
        assert_eq!(
            builds(&["-Dtest=C", "-o", "-Dtest=a/*Test"], &both),
            [format!(
                "-Dtest=C -o -Dtest=a/*Test -Dtest=a/*Test,!a/A,!a/B#x,!a/B$In#y {more}"
            )]
        );
    }

    #[test]
    fn a_lost_jvm_is_told_with_its_exit_status() {
        let block = |status: u8, class: &str| {
            format!(
                "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n\
                 [ERROR] Process Exit Code: {status}\n[ERROR] Crashed tests:\n[ERROR] {class}\n"
            )
        };
        let two = block(7, "a.B") + &block(134, "a.C");
        assert!(Maven.has_lost_jvm(&two) && !Maven.has_lost_jvm("[ERROR] There are test failures."));
        assert_eq!(Maven.exit_status(&two, "a.B"), Some(7));
        assert_eq!(Maven.exit_status(&two, "a.C"), Some(134));
        assert_eq!(Maven.exit_status(&two, "a.D"), None);
        // Old ones do not name the class.
        assert_eq!(Maven.exit_status("Process Exit Code: 7\n", "a.B"), Some(7));
        assert_eq!(Maven.exit_status("", "a.B"), None);
    }

    #[test]
    fn test_classes_have_names_like_surefire_s_patterns() {
        for (class, is_one) in [
            ("a.OrderTest", true),
            ("TestOrder", true),
            ("a.OrderTests", true),
            ("a.OrderTestCase", true),
            ("a.OrderIT", false),
            ("test.Order", false),
        ] {
            assert_eq!(Maven.is_test_class(class), is_one, "{class}");
        }
    }

    #[test]
    fn failing_tests_are_told_from_a_failing_build() {
        for (output, only_tests_failed, has_reported_tests) in [
            ("[INFO] BUILD SUCCESS", false, false),
            (
                "[INFO] Tests run: 3, Failures: 0\n[INFO] BUILD SUCCESS",
                false,
                true,
            ),
            (
                "[ERROR] Tests run: 3, Failures: 1\n[ERROR] There are test failures.\n",
                true,
                true,
            ),
            // The tests of one module failed, and the next module does not compile.
            (
                "[ERROR] Tests run: 3, Failures: 1\n[ERROR] There are test failures.\n[ERROR] COMPILATION ERROR :\n",
                false,
                true,
            ),
            ("[ERROR] COMPILATION ERROR :", false, false),
            ("", false, false),
        ] {
            assert_eq!(Maven.only_tests_failed(output), only_tests_failed, "{output}");
            assert_eq!(Maven.has_reported_tests(output), has_reported_tests, "{output}");
        }
    }

    #[test]
    fn errors_are_the_lines_marked_as_such() {
        let output = "[INFO] Scanning\n[ERROR] COMPILATION ERROR :\n[WARNING] old\nError: no main class\n\
                      \x20[ERROR] quoted\n";
        assert_eq!(
            Maven.errors(output),
            ["[ERROR] COMPILATION ERROR :", "Error: no main class"]
        );
        assert_eq!(Maven.errors("[INFO] fine\n"), Vec::<&str>::new());
    }

    #[test]
    fn a_missing_compiler_is_known_by_its_sentence() {
        let output = "[ERROR] No compiler is provided in this environment. Perhaps you are running on a JRE?";
        assert!(Maven.needs_jdk(output));
        assert!(!Maven.needs_jdk("[ERROR] COMPILATION ERROR :"));
    }

    #[test]
    fn a_module_is_where_surefire_says_it_is() {
        assert_eq!(
            Maven.module_directory(&recipe("/p/work", &[("basedir", "/p/core")])),
            Path::new("/p/core")
        );
        assert_eq!(
            Maven.module_directory(&recipe("/p/core", &[])),
            Path::new("/p/core")
        );
    }

    #[test]
    fn the_class_path_is_the_one_surefire_tells_its_tests() {
        let hidden = recipe("/p", &[("surefire.test.class.path", "/a:/b.jar")]);
        assert_eq!(Maven.class_path(&hidden).as_deref(), Some("/a:/b.jar"));
        assert_eq!(
            Maven.class_path(&recipe("/p", &[("java.class.path", "/booter.jar")])),
            None
        );
    }

    #[test]
    fn test_classes_are_known_by_their_directory() {
        for (directory, expected) in [
            ("/p/target/test-classes", true),
            ("/p/core/out/test-classes", true),
            ("/p/target/classes", false),
            ("/p/target/my-test-classes", false),
            ("/p/test-classes/com", false),
        ] {
            assert_eq!(
                Maven.is_test_classes(Path::new(directory)),
                expected,
                "{directory}"
            );
        }
    }

    #[test]
    fn the_version_is_one_line() {
        let output =
            "Picked up JAVA_TOOL_OPTIONS: -ea\nApache Maven 3.9.9 (8e8)\nMaven home: /usr/share/maven\n";
        assert_eq!(Maven.version(output).as_deref(), Some("Apache Maven 3.9.9 (8e8)"));
        assert_eq!(Maven.version("mvn: not found"), None);
    }

    #[test]
    fn modules_are_found_through_their_parents() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "pom.xml",
            "<modules><module>b</module> <!-- <module>old</module> --><module> a </module>\
             <module>gone</module></modules>",
        );
        write("a/pom.xml", "<project/>");
        write("b/pom.xml", "<modules><module>c</module></modules>");
        write("b/c/pom.xml", "<project/>");
        write("old/pom.xml", "<project/>");
        assert_eq!(Maven.modules(root.path()), ["a", "b", "b/c"]);
    }
}
