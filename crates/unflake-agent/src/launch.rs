//! How this JVM was started, as far as the process knows (SPIKES, section 3; the rest of a recipe comes from Java).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};
use unflake_protocol::Recipe;

/// The variable that brought us here.
pub(crate) const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// Words on the command line (or in an argument file) of a JVM that only runs tests.
const TEST_JVMS: &[&str] = &[
    "surefirebooter",
    "org.apache.maven.surefire.booter.ForkedBooter",
    "worker.org.gradle.process.internal.worker.GradleWorkerMain",
];

/// The command line of this process, without the program.
pub(crate) fn arguments() -> Vec<String> {
    let Ok(line) = fs::read("/proc/self/cmdline") else {
        return Vec::new();
    };
    let line = String::from_utf8_lossy(&line).into_owned();
    let line = line.strip_suffix('\0').unwrap_or(&line);
    line.split('\0').skip(1).map(str::to_owned).collect()
}

/// Contents of the `@file` arguments.
fn argument_files(arguments: &[String]) -> BTreeMap<String, String> {
    let named = arguments.iter().filter_map(|argument| argument.strip_prefix('@'));
    // A file that cannot be read as text is the main class's own argument, not the launcher's.
    named
        .filter_map(|file| Some((file.to_owned(), fs::read_to_string(file).ok()?)))
        .collect()
}

/// Whether this JVM was started to run tests and for nothing else.
pub(crate) fn is_test_jvm() -> bool {
    let arguments = arguments();
    let files = argument_files(&arguments);
    let mentions = |text: &String| TEST_JVMS.iter().any(|word| text.contains(word));
    arguments.iter().any(mentions) || files.values().any(mentions)
}

/// `JAVA_TOOL_OPTIONS` without the word that loads us; `None` if nothing is left. A word is ours if it ends with the
/// options we were given.
pub(crate) fn without_us(value: &str, our_options: &str) -> Option<String> {
    let end = format!("={our_options}");
    let is_ours = |word: &&str| {
        let bare = word.replace(['"', '\''], "");
        bare.starts_with("-agentpath:") && bare.ends_with(&end)
    };
    let kept: Vec<&str> = words(value).into_iter().filter(|word| !is_ours(word)).collect();
    (!kept.is_empty()).then(|| kept.join(" "))
}

/// The words of an option string as the JVM splits it, with their quotes.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote) = (None, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c.is_ascii_whitespace() => words.extend(start.take().map(|from: usize| &text[from..at])),
            None => {
                start.get_or_insert(at);
                quote = (c == '"' || c == '\'').then_some(c);
            }
        }
    }
    words.extend(start.map(|from| &text[from..]));
    words
}

/// The recipe, with what Java told of itself.
pub(crate) fn recipe(
    our_options: &str,
    properties: BTreeMap<String, String>,
    launcher: Vec<String>,
) -> Recipe {
    let arguments = arguments();
    let mut environment: BTreeMap<String, String> = env::vars_os()
        .map(|(name, value)| {
            (
                name.to_string_lossy().into_owned(),
                value.to_string_lossy().into_owned(),
            )
        })
        .collect();
    if let Some(value) = environment.remove(VARIABLE)
        && let Some(theirs) = without_us(&value, our_options)
    {
        environment.insert(VARIABLE.to_owned(), theirs);
    }
    let mut jars: Vec<PathBuf> = Vec::new();
    for jar in launcher.iter().filter_map(|url| path_of(url)) {
        if !jars.contains(&jar) {
            jars.push(jar);
        }
    }
    Recipe {
        java: fs::read_link("/proc/self/exe").unwrap_or_else(|_| PathBuf::from("java")),
        argument_files: argument_files(&arguments),
        arguments,
        directory: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        environment,
        properties,
        launcher: jars,
    }
}

/// The file of a `file:` address.
fn path_of(url: &str) -> Option<PathBuf> {
    let encoded = url.strip_prefix("file:")?.as_bytes();
    let mut path = Vec::with_capacity(encoded.len());
    let mut i = 0;
    while i < encoded.len() {
        let code = (encoded[i] == b'%')
            .then(|| encoded.get(i + 1..i + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        path.push(code.unwrap_or(encoded[i]));
        i += if code.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(path).ok()?;
    Some(Path::new(path.trim_start_matches("//")).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_word_is_removed() {
        let ours = "-agentpath:/c/libunflake_agent.so=/s";
        assert_eq!(without_us(ours, "/s"), None);
        assert_eq!(
            without_us(&format!("-Xmx1g {ours}"), "/s"),
            Some("-Xmx1g".to_owned())
        );
        assert_eq!(
            without_us("\"-agentpath:/a b/lib.so=/s\" -ea", "/s"),
            Some("-ea".to_owned())
        );
        assert_eq!(without_us("-ea", "/s"), Some("-ea".to_owned()));
        let other = "-agentpath:/profiler.so=x";
        assert_eq!(
            without_us(&format!("{other} {ours}"), "/s"),
            Some(other.to_owned())
        );
    }

    #[test]
    fn code_sources_are_files() {
        assert_eq!(path_of("file:/a%20b/c.jar"), Some(PathBuf::from("/a b/c.jar")));
        assert_eq!(path_of("jrt:/java.base"), None);
    }
}
