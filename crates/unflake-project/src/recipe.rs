//! The recipe of a test JVM together with the build tool that started it.
//!
//! A recipe alone does not say how to start its JVM again: only the tool knows where it put the class path. A stored
//! run keeps the tool by its name, so that it can be run again later without its build.

use crate::tool::BuildTool;
use crate::tools::TOOLS;
use serde::{Deserialize, Serialize};
use unflake_protocol::Recipe;
use unflake_runner::{FromTool, Launch, LaunchError};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildRecipe {
    #[serde(with = "by_name")]
    pub tool: &'static dyn BuildTool,
    pub recipe: Recipe,
}

impl BuildRecipe {
    /// The JVM that runs the same tests under our runner.
    pub fn launch(&self) -> Result<Launch, LaunchError> {
        let from_tool = FromTool {
            class_path: self.tool.class_path(&self.recipe),
            own_properties: self.tool.facts().own_properties,
            own_options: self.tool.facts().own_options,
        };
        Launch::from_recipe(&self.recipe, &from_tool)
    }
}

mod by_name {
    use super::*;
    use serde::{Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(
        tool: &&'static dyn BuildTool,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(tool.facts().name)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static dyn BuildTool, D::Error> {
        let name = String::deserialize(deserializer)?;
        TOOLS.named(&name).ok_or_else(|| {
            let known: Vec<&str> = TOOLS.names().collect();
            de::Error::custom(format!(
                "unknown build tool `{name}`; use one of {}",
                known.join(", ")
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn recipe() -> BuildRecipe {
        let property = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let recipe = Recipe {
            java: "/jdk/bin/java".into(),
            arguments: ["-ea", "-jar", "/tmp/surefirebooter1.jar"]
                .map(str::to_owned)
                .to_vec(),
            argument_files: BTreeMap::new(),
            directory: "/project".into(),
            environment: BTreeMap::new(),
            properties: BTreeMap::from([
                property("surefire.test.class.path", "/a:/b.jar"),
                property("surefire.real.class.path", "/tmp/surefirebooter1.jar"),
                property("user.language", "en"),
            ]),
            launcher: Vec::new(),
        };
        BuildRecipe {
            tool: TOOLS.0[0],
            recipe,
        }
    }

    #[test]
    fn a_stored_recipe_starts_the_same_jvm() {
        let text = serde_json::to_string(&recipe()).unwrap();
        let read: BuildRecipe = serde_json::from_str(&text).unwrap();
        let launch = read.launch().unwrap();
        assert_eq!(launch, recipe().launch().unwrap());
        assert_eq!(launch.class_path, ["/a", "/b.jar"]);
        let properties: Vec<&str> = launch.properties.keys().map(String::as_str).collect();
        assert_eq!(properties, ["surefire.test.class.path", "user.language"]);
    }

    #[test]
    fn a_tool_that_is_not_known_is_an_error() {
        let text = serde_json::to_string(&recipe()).unwrap();
        let other = text.replace("\"Maven\"", "\"Bazel\"");
        let error = serde_json::from_str::<BuildRecipe>(&other).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("unknown build tool `Bazel`; use one of Maven"),
            "{error}"
        );
    }
}
