//! From the recipe of a test JVM to the command that starts it again with our runner in place of the build's.
//!
//! Everything the build asked for stays (options, module path, patches, opens); only the main class is replaced, and
//! our runner is added to the class path. Where the build hid the class path, as in a jar's manifest, whoever knows the
//! build tool says what it was ([`FromTool`]).

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use unflake_protocol::Recipe;

/// A JVM to start, apart from the agent and the runner. Two recipes that mean the same give equal launches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Launch {
    pub java: PathBuf,
    /// Options of the JVM without class path and main class.
    pub options: Vec<String>,
    pub class_path: Vec<String>,
    pub directory: PathBuf,
    pub environment: BTreeMap<String, String>,
    pub properties: BTreeMap<String, String>,
}

/// What only the build tool that started a JVM knows of it.
#[derive(Clone, Debug, Default)]
pub struct FromTool {
    /// The class path of the tests, separated by `:`, if the command line does not have it.
    pub class_path: Option<String>,
    /// System properties that the tool set for its own sake.
    pub own_properties: &'static [&'static str],
    /// How options begin that the tool set for its own sake.
    pub own_options: &'static [&'static str],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// An argument file that the build made is gone, and the agent did not keep it.
    NoArgumentFile(String),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::NoArgumentFile(file) => {
                write!(f, "the argument file `{file}` of the test JVM was not recorded")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

/// Properties that belong to the build's own JVM, or that ours sets itself.
const NOT_RESTORED: &[&str] = &[
    "java.io.tmpdir",
    "sun.java.command",
    "java.class.path",
    "jdk.module.main.class",
];

/// Options whose value is the next argument.
const TAKES_VALUE: &[&str] = &[
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-opens",
    "--add-exports",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--source",
];

impl Launch {
    pub fn from_recipe(recipe: &Recipe, from_tool: &FromTool) -> Result<Launch, LaunchError> {
        let arguments = expand_argument_files(recipe)?;
        let Split {
            mut options,
            class_path,
        } = split(arguments);
        let is_own = |option: &String| from_tool.own_options.iter().any(|own| option.starts_with(own));
        options.retain(|option| !is_own(option));
        let is_modular = options.iter().any(|o| o == "--module-path" || o == "-p");
        let class_path = match class_path {
            Some(path) if is_modular => path,
            other => (from_tool.class_path.clone())
                .or(other)
                .or_else(|| recipe.properties.get("java.class.path").cloned())
                .unwrap_or_default(),
        };
        let mut class_path: Vec<String> = class_path
            .split(':')
            .filter(|e| !e.is_empty())
            .map(str::to_owned)
            .collect();
        // A build tool brings the launcher itself; then it is not on the tests' class path.
        for jar in &recipe.launcher {
            let jar = jar.display().to_string();
            if !class_path.contains(&jar) {
                class_path.push(jar);
            }
        }
        let properties = recipe
            .properties
            .iter()
            .filter(|(key, _)| {
                let names = NOT_RESTORED.iter().chain(from_tool.own_properties);
                !names.into_iter().any(|name| name == key)
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Ok(Launch {
            java: recipe.java.clone(),
            options,
            class_path,
            directory: recipe.directory.clone(),
            environment: recipe.environment.clone(),
            properties,
        })
    }

    /// The arguments of `java`, up to and including the main class.
    pub(crate) fn arguments(&self, runner: &Path, extra: &[String]) -> Vec<String> {
        let mut class_path = self.class_path.clone();
        class_path.push(runner.display().to_string());
        let mut arguments = self.options.clone();
        arguments.extend_from_slice(extra);
        arguments.push("-cp".to_owned());
        arguments.push(class_path.join(":"));
        arguments.push("unflake.runner.Main".to_owned());
        arguments
    }

    /// The properties as the runner reads them: lengths and bytes.
    pub(crate) fn properties_file(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for text in self.properties.iter().flat_map(|(key, value)| [key, value]) {
            bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(0).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }
}

fn expand_argument_files(recipe: &Recipe) -> Result<Vec<String>, LaunchError> {
    let mut arguments = Vec::new();
    for argument in &recipe.arguments {
        match argument.strip_prefix('@') {
            Some(file) => {
                let text = recipe
                    .argument_files
                    .get(file)
                    .or_else(|| recipe.argument_files.get(argument))
                    .ok_or_else(|| LaunchError::NoArgumentFile(file.to_owned()))?;
                arguments.extend(words(text));
            }
            None => arguments.push(argument.clone()),
        }
    }
    Ok(arguments)
}

/// The words of an argument file: separated by white space, quoted with `"` or `'`, `\` escapes inside of quotes,
/// `#` begins a comment.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                let escaped = match chars.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('f') => '\x0c',
                    Some(other) => other,
                    None => '\\',
                };
                word.get_or_insert_default().push(escaped);
            }
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

struct Split {
    options: Vec<String>,
    class_path: Option<String>,
}

/// Options up to the main class; what follows it is for the build's own runner.
fn split(arguments: Vec<String>) -> Split {
    let mut options = Vec::new();
    let mut class_path = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "-jar" || argument == "-m" || argument == "--module" || !argument.starts_with('-') {
            break;
        }
        if matches!(argument.as_str(), "-cp" | "-classpath" | "--class-path") {
            class_path = arguments.next();
        } else if let Some(value) = argument.strip_prefix("--class-path=") {
            class_path = Some(value.to_owned());
        } else if argument.starts_with("-agentlib:jdwp")
            || argument.starts_with("-Xrunjdwp")
            || argument == "-Xdebug"
        {
            // Two JVMs cannot listen at one port, and nobody is waiting to attach.
        } else {
            let takes_value = TAKES_VALUE.contains(&argument.as_str());
            options.push(argument);
            if takes_value {
                options.extend(arguments.next());
            }
        }
    }
    Split { options, class_path }
}

/// The class files below a directory of a class path, in an order that does not depend on the file system. None if it
/// is a jar.
pub fn class_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![directory.to_owned()];
    while let Some(folder) = todo.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut entries: Vec<fs::DirEntry> = entries.collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                todo.push(path);
            } else if path.extension().is_some_and(|end| end == "class") {
                files.push(path);
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(arguments: &[&str]) -> Recipe {
        Recipe {
            java: "/jdk/bin/java".into(),
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
            argument_files: BTreeMap::new(),
            directory: "/project".into(),
            environment: BTreeMap::new(),
            properties: BTreeMap::new(),
            launcher: Vec::new(),
        }
    }

    /// For tools that hide nothing.
    fn plain(recipe: &Recipe) -> Result<Launch, LaunchError> {
        Launch::from_recipe(recipe, &FromTool::default())
    }

    #[test]
    fn a_manifest_jar_gives_way_to_the_class_path_the_tests_see() {
        let mut recipe = recipe(&["-Xmx1g", "-jar", "/tmp/manifest.jar", "/tmp/tests"]);
        let from_tool = FromTool {
            class_path: Some("/a:/b.jar:".to_owned()),
            ..FromTool::default()
        };
        recipe.launcher = vec!["/launcher.jar".into(), "/b.jar".into()];
        let launch = Launch::from_recipe(&recipe, &from_tool).unwrap();
        assert_eq!(launch.options, ["-Xmx1g"]);
        assert_eq!(launch.class_path, ["/a", "/b.jar", "/launcher.jar"]);
        assert_eq!(
            launch.arguments(Path::new("/runner.jar"), &["-agentpath:x".to_owned()]),
            [
                "-Xmx1g",
                "-agentpath:x",
                "-cp",
                "/a:/b.jar:/launcher.jar:/runner.jar",
                "unflake.runner.Main"
            ]
        );
    }

    #[test]
    fn a_module_path_is_kept_as_it_was() {
        let mut recipe = recipe(&["-ea", "@/tmp/args", "/tmp/tests"]);
        let file = "--module-path\n\"/m/classes:/m/x.jar\"\n--class-path\n\"/cp.jar\"\n--add-modules\nALL-MODULE-PATH\n\
                    --patch-module\nm=\"/m/test classes\"\ntool.Booter\n";
        recipe
            .argument_files
            .insert("/tmp/args".to_owned(), file.to_owned());
        let from_tool = FromTool {
            class_path: Some("/not/this".to_owned()),
            ..FromTool::default()
        };
        let launch = Launch::from_recipe(&recipe, &from_tool).unwrap();
        let options = [
            "-ea",
            "--module-path",
            "/m/classes:/m/x.jar",
            "--add-modules",
            "ALL-MODULE-PATH",
            "--patch-module",
        ];
        assert_eq!(launch.options[..6], options);
        assert_eq!(launch.options[6], "m=/m/test classes");
        assert_eq!(launch.class_path, ["/cp.jar"]);
    }

    #[test]
    fn an_argument_file_that_is_gone_is_said() {
        let error = plain(&recipe(&["@/tmp/args"])).unwrap_err();
        assert_eq!(error, LaunchError::NoArgumentFile("/tmp/args".to_owned()));
    }

    #[test]
    fn a_debugger_is_not_waited_for() {
        let launch = plain(&recipe(&["-agentlib:jdwp=transport=dt_socket", "-ea", "Main"])).unwrap();
        assert_eq!(launch.options, ["-ea"]);
    }

    #[test]
    fn without_the_tool_the_command_line_says_the_class_path_and_then_the_jvm() {
        let mut recipe = recipe(&["-cp", "/line", "Main"]);
        recipe
            .properties
            .insert("java.class.path".to_owned(), "/jvm".to_owned());
        assert_eq!(plain(&recipe).unwrap().class_path, ["/line"]);
        recipe.arguments.clear();
        assert_eq!(plain(&recipe).unwrap().class_path, ["/jvm"]);
    }

    #[test]
    fn properties_and_options_of_the_jvm_and_of_the_tool_are_not_restored() {
        let mut recipe = recipe(&["Main"]);
        for name in ["java.io.tmpdir", "tool.worker", "tool.told", "user.language"] {
            recipe.properties.insert(name.to_owned(), "x".to_owned());
        }
        recipe.arguments = ["-Dtool.hook=on", "-Dtool.told=x", "Main"]
            .map(str::to_owned)
            .to_vec();
        let from_tool = FromTool {
            own_properties: &["tool.worker"],
            own_options: &["-Dtool.hook="],
            ..FromTool::default()
        };
        let launch = Launch::from_recipe(&recipe, &from_tool).unwrap();
        assert_eq!(launch.options, ["-Dtool.told=x"]);
        let kept: Vec<&str> = launch.properties.keys().map(String::as_str).collect();
        assert_eq!(kept, ["tool.told", "user.language"]);
    }
}
