//! Maven, whose tests are run by Surefire.

use crate::tool::{BuildTool, ToolFacts};
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
};

impl BuildTool for Maven {
    fn facts(&self) -> &'static ToolFacts {
        &FACTS
    }

    fn prepare(&self, command: &mut Command, _scratch: &Path) -> io::Result<()> {
        command.args(["--batch-mode", "-Dmaven.test.failure.ignore=true", "test"]);
        Ok(())
    }

    fn select(&self, classes: &[String]) -> Vec<String> {
        let classes: Vec<String> = classes.iter().map(|class| class.replace('.', "/")).collect();
        // In most modules none of the classes exists. The two names are those of Surefire before and since 3.0.
        vec![
            format!("-Dtest={}", classes.join(",")),
            "-DfailIfNoTests=false".to_owned(),
            "-Dsurefire.failIfNoSpecifiedTests=false".to_owned(),
        ]
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
