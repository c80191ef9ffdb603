//! Paths that differ from machine to machine: what is stored names them by what they are, not by where they lie.
//!
//! A stored run is full of paths: class paths, directories, properties. On the way into the store the project's
//! directory, the JDK and the user's home become names like `${unflake.project}`, wherever they stand in a text; on the
//! way out they become what they are here.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where things lie, here or where a run was stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Anchors {
    pub(crate) project: Option<PathBuf>,
    pub(crate) java: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
}

impl Anchors {
    /// Names and paths, the longest path first: what lies in the home's project belongs to the project.
    fn named(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("${unflake.project}", &self.project),
            ("${unflake.java}", &self.java),
            ("${unflake.home}", &self.home),
        ];
        let mut named: Vec<(&str, String)> = all
            .into_iter()
            .filter_map(|(name, path)| Some((name, path.as_ref()?.to_str()?.to_owned())))
            // The root directory begins every path and says nothing.
            .filter(|(_, path)| Path::new(path).parent().is_some())
            .collect();
        named.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
        named
    }

    /// The same value with names instead of paths.
    pub(crate) fn take_out(&self, value: &mut Value) {
        let named = self.named();
        each_text(value, &|text| {
            let mut text = text.to_owned();
            for (name, path) in &named {
                text = replaced(&text, path, name);
            }
            text
        });
    }

    /// The same value with the paths of here instead of names.
    pub(crate) fn put_in(&self, value: &mut Value) {
        let named = self.named();
        each_text(value, &|text| {
            let mut text = text.to_owned();
            for (name, path) in &named {
                text = text.replace(name, path);
            }
            text
        });
    }
}

/// Puts `name` where `path` stands as a whole: `/a/b` in `/a/b/c` and `/x:/a/b`, not in `/a/bc`.
fn replaced(text: &str, path: &str, name: &str) -> String {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let (before, after) = (&rest[..at], &rest[at + path.len()..]);
        result.push_str(before);
        let is_whole = !before.ends_with(|c| goes_on(c) || c == '/') && !after.starts_with(goes_on);
        result.push_str(if is_whole { name } else { path });
        rest = after;
    }
    result + rest
}

fn each_text(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(object) => {
            for (key, mut value) in std::mem::take(object) {
                each_text(&mut value, change);
                object.insert(change(&key), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn anchors(project: &str, java: &str, home: &str) -> Anchors {
        let path = |text: &str| Some(PathBuf::from(text));
        Anchors {
            project: path(project),
            java: path(java),
            home: path(home),
        }
    }

    #[test]
    fn a_run_stored_in_one_place_is_opened_in_another() {
        let stored = json!({
            "classPath": ["/home/me/work/target/classes", "/home/me/.m2/a.jar"],
            "options": "-Dx=/home/me/work:/home/me/workshop -Djava.home=/opt/jdk",
            "/home/me/work/target": {"count": 3, "none": null},
        });
        let mut value = stored.clone();
        anchors("/home/me/work", "/opt/jdk", "/home/me").take_out(&mut value);
        let text = value.to_string();
        assert!(!text.contains("/home/me") && !text.contains("/opt/jdk"), "{text}");
        let mut back = value.clone();
        anchors("/home/me/work", "/opt/jdk", "/home/me").put_in(&mut back);
        assert_eq!(back, stored);
        anchors("/ci/project", "/usr/lib/jvm/8", "/root").put_in(&mut value);
        assert_eq!(value["classPath"][1], "/root/.m2/a.jar");
        assert_eq!(
            value["options"],
            "-Dx=/ci/project:/root/workshop -Djava.home=/usr/lib/jvm/8"
        );
        assert_eq!(value["/ci/project/target"]["count"], 3);
    }

    #[test]
    fn what_lies_in_two_places_belongs_to_the_inner_one() {
        let named = |anchors: Anchors, text: &str| {
            let mut value = json!(text);
            anchors.take_out(&mut value);
            value
        };
        let home_inside = || anchors("/srv", "/srv/me/jdks/17", "/srv/me");
        assert_eq!(named(home_inside(), "/srv/me/.m2"), "${unflake.home}/.m2");
        assert_eq!(named(home_inside(), "/srv/me/jdks/17/lib"), "${unflake.java}/lib");
        assert_eq!(named(home_inside(), "/srv/target"), "${unflake.project}/target");
        let java_inside = anchors("/srv/me/work", "/srv/me/work/jdk", "/srv/me");
        assert_eq!(named(java_inside, "/srv/me/work/jdk/lib"), "${unflake.java}/lib");
    }

    #[test]
    fn only_whole_paths_are_names() {
        let whole = |text: &str| replaced(text, "/a/b", "N");
        assert_eq!(whole("/a/b /a/b/c \"/a/b\" x=/a/b:/a/b"), "N N/c \"N\" x=N:N");
        for other in ["/a/bc", "/a/b.txt", "/x/a/b", "/a/b-1", "x/a/b"] {
            assert_eq!(whole(other), other);
        }
    }

    #[test]
    fn the_root_directory_is_nobodys_home() {
        let mut value = json!("/usr/bin");
        anchors("/p", "/j", "/").take_out(&mut value);
        assert_eq!(value, json!("/usr/bin"));
    }
}
