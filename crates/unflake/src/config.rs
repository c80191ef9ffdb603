//! `unflake.toml`: in the project's directory or in its `.config`, never required.
//!
//! Read by hand from the parsed tables rather than by deserialising, because each mistake is reported with its line,
//! its column and the nearest known name.

use crate::values::{FailOn, parse_duration};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use unflake_check::{Eager, Ignore, PollutionOptions, Problem, SeedSetting, did_you_mean, nearest, problem};
use unflake_findings::LevelSetting;
use unflake_models::check_user_model;
use unflake_protocol::{Abstraction, Compare, Points, UserModel, UserModelKind};
use unflake_runner::IsolationSetting;

/// What the file says; `None` or empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Config {
    pub(crate) rounds: Option<u32>,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<SeedSetting>,
    pub(crate) level: Option<LevelSetting>,
    pub(crate) control: Option<u32>,
    pub(crate) api: Vec<String>,
    pub(crate) skip_api: Vec<String>,
    pub(crate) from: Vec<String>,
    pub(crate) skip_from: Vec<String>,
    pub(crate) jobs: Option<usize>,
    /// Relative to the project.
    pub(crate) java: Option<PathBuf>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) isolation: Option<IsolationSetting>,
    pub(crate) fail_on: Option<FailOn>,
    pub(crate) user_models: Vec<UserModel>,
    pub(crate) ignores: Vec<Ignore>,
    pub(crate) pollution: PollutionOptions,
}

const KEYS: [&str; 17] = [
    "rounds",
    "budget",
    "seed",
    "level",
    "control",
    "api",
    "skip_api",
    "from",
    "skip_from",
    "jobs",
    "java",
    "timeout",
    "isolation",
    "fail_on",
    "model",
    "ignore",
    "pollution",
];
const POLLUTION_KEYS: [&str; 9] = [
    "include_roots",
    "exclude_roots",
    "exclude_fields",
    "all_roots",
    "eager",
    "capture",
    "directories",
    "most_objects",
    "abstraction",
];
const ABSTRACTION_KEYS: [&str; 2] = ["class", "compare"];
const MODEL_KEYS: [&str; 4] = ["method", "kind", "values", "tolerance"];
const MODEL_KINDS: [&str; 5] = ["permute", "extend", "random", "one-of", "tolerance"];
const IGNORE_KEYS: [&str; 4] = ["test", "api", "from", "reason"];

impl Config {
    /// The project's file, or nothing if it has none.
    pub(crate) fn read(project: &Path) -> Result<Config, Problem> {
        for path in Config::places(project) {
            match fs::read_to_string(&path) {
                Ok(text) => return Config::parse(&text, &path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(problem!(Usage, "cannot read `{}`", path.display()).cause(error));
                }
            }
        }
        Ok(Config::default())
    }

    /// Where it may lie; the first one there counts.
    pub(crate) fn places(project: &Path) -> [PathBuf; 2] {
        [project.join("unflake.toml"), project.join(".config/unflake.toml")]
    }

    fn parse(text: &str, path: &Path) -> Result<Config, Problem> {
        let reader = TomlReader { text, path };
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            reader.wrong(&span, error.message().lines().collect::<Vec<_>>().join("; "))
        })?;
        let mut config = Config::default();
        for (key, value) in table.get_ref().iter() {
            match key.get_ref().as_ref() {
                "rounds" => config.rounds = Some(reader.number(value)?),
                "budget" => config.budget = Some(reader.text_as(value, parse_duration)?),
                "seed" => config.seed = Some(reader.seed(value)?),
                "level" => config.level = Some(reader.text_as(value, LevelSetting::from_str)?),
                "control" => config.control = Some(reader.number(value)?),
                "api" => config.api = reader.texts(value)?,
                "skip_api" => config.skip_api = reader.texts(value)?,
                "from" => config.from = reader.texts(value)?,
                "skip_from" => config.skip_from = reader.texts(value)?,
                "jobs" => config.jobs = Some(reader.number(value)? as usize),
                "java" => config.java = Some(PathBuf::from(reader.text(value)?)),
                "timeout" => config.timeout = Some(reader.text_as(value, parse_duration)?),
                "isolation" => {
                    config.isolation = Some(reader.text_as(value, IsolationSetting::from_str)?);
                }
                "fail_on" => config.fail_on = Some(reader.text_as(value, FailOn::from_str)?),
                "model" => config.user_models = reader.tables("model", value, TomlReader::model)?,
                "ignore" => config.ignores = reader.tables("ignore", value, TomlReader::ignore)?,
                "pollution" => config.pollution = reader.pollution(value)?,
                unknown => return Err(reader.unknown_key(unknown, &key.span(), &KEYS)),
            }
        }
        Ok(config)
    }
}

type TomlValue<'a> = Spanned<DeValue<'a>>;

/// The file's text, to say where in it something is wrong.
struct TomlReader<'a> {
    text: &'a str,
    path: &'a Path,
}

impl TomlReader<'_> {
    fn wrong(&self, span: &Range<usize>, what: impl Into<String>) -> Problem {
        let before = &self.text[..span.start.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        problem!(
            Usage,
            "`{}` is wrong at line {line}, column {column}",
            self.path.display()
        )
        .cause(what.into())
    }

    fn unknown_key(&self, key: &str, span: &Range<usize>, known: &[&str]) -> Problem {
        let hint = did_you_mean(&nearest(key, known.iter().copied()))
            .unwrap_or_else(|| format!("use one of {}", known.join(", ")));
        self.wrong(span, format!("unknown key `{key}`")).hint(hint)
    }

    fn expected(&self, value: &TomlValue<'_>, what: &str) -> Problem {
        self.wrong(
            &value.span(),
            format!("expected {what}, found {}", kind_of(value.get_ref())),
        )
    }

    fn text<'v>(&self, value: &'v TomlValue<'_>) -> Result<&'v str, Problem> {
        value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.expected(value, "text in quotes"))
    }

    fn text_as<T>(
        &self,
        value: &TomlValue<'_>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Problem> {
        parse(self.text(value)?).map_err(|what| self.wrong(&value.span(), what))
    }

    /// Text, or an array of it.
    fn texts(&self, value: &TomlValue<'_>) -> Result<Vec<String>, Problem> {
        match value.get_ref() {
            DeValue::Array(array) => array
                .iter()
                .map(|one| self.text(one).map(str::to_owned))
                .collect(),
            DeValue::String(one) => Ok(vec![one.to_string()]),
            _ => Err(self.expected(value, "text in quotes or an array of it")),
        }
    }

    /// A count: from 1.
    fn number(&self, value: &TomlValue<'_>) -> Result<u32, Problem> {
        let integer = match value.get_ref() {
            DeValue::Integer(integer) => integer,
            DeValue::Float(_) => return Err(self.wrong(&value.span(), "the number must be whole")),
            _ => return Err(self.expected(value, "a number")),
        };
        match i128::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if number <= 0 => Err(self.wrong(&value.span(), "the number must be positive")),
            number => number
                .ok()
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| self.wrong(&value.span(), "the number is too large")),
        }
    }

    fn seed(&self, value: &TomlValue<'_>) -> Result<SeedSetting, Problem> {
        match value.get_ref() {
            DeValue::Integer(integer) => {
                let number = u64::from_str_radix(integer.as_str(), integer.radix());
                // A number out of range is shown as it was written.
                let number = number.map_or(integer.to_string(), |number| number.to_string());
                number
                    .parse()
                    .map_err(|what: String| self.wrong(&value.span(), what))
            }
            _ => self.text_as(value, SeedSetting::from_str),
        }
    }

    fn tables<T>(
        &self,
        name: &str,
        value: &TomlValue<'_>,
        read: impl Fn(&Self, &DeTable<'_>, &Range<usize>) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.expected(value, &format!("tables with two brackets, like `[[{name}]]`")));
        };
        let one = |entry: &TomlValue<'_>| match entry.get_ref() {
            DeValue::Table(table) => read(self, table, &entry.span()),
            _ => Err(self.expected(entry, "a table")),
        };
        array.iter().map(one).collect()
    }

    fn model(&self, table: &DeTable<'_>, span: &Range<usize>) -> Result<UserModel, Problem> {
        self.only_known(table, &MODEL_KEYS)?;
        let method = self.required(table, span, "method")?;
        let method_text = self.text(method)?;
        let kind = self.required(table, span, "kind")?;
        let model_kind = match self.text(kind)? {
            "permute" => UserModelKind::Permute,
            "extend" => UserModelKind::Extend,
            "random" => UserModelKind::Random,
            "one-of" => UserModelKind::OneOf(self.values(self.required(table, span, "values")?)?),
            "tolerance" => {
                UserModelKind::Tolerance(self.tolerance(self.required(table, span, "tolerance")?)?)
            }
            unknown => {
                let hint = did_you_mean(&nearest(unknown, MODEL_KINDS))
                    .unwrap_or_else(|| format!("use one of {}", MODEL_KINDS.join(", ")));
                return Err(self
                    .wrong(&kind.span(), format!("unknown kind `{unknown}`"))
                    .hint(hint));
            }
        };
        let model = UserModel {
            method: method_text.to_owned(),
            kind: model_kind,
        };
        check_user_model(&model).map_err(|what| self.wrong(&method.span(), what))?;
        Ok(model)
    }

    /// Text and numbers, as text.
    fn values(&self, value: &TomlValue<'_>) -> Result<Vec<String>, Problem> {
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.expected(value, "an array"));
        };
        let values: Vec<String> = array
            .iter()
            .map(|one| match one.get_ref() {
                DeValue::String(text) => Ok(text.to_string()),
                DeValue::Integer(number) => Ok(number.to_string()),
                DeValue::Float(number) => Ok(number.to_string()),
                DeValue::Boolean(truth) => Ok(truth.to_string()),
                _ => Err(self.expected(one, "text or a number")),
            })
            .collect::<Result<_, _>>()?;
        if values.len() < 2 {
            return Err(self.wrong(&value.span(), "at least two values are needed"));
        }
        Ok(values)
    }

    fn tolerance(&self, value: &TomlValue<'_>) -> Result<f64, Problem> {
        let number = match value.get_ref() {
            DeValue::Float(number) => number.as_str().replace('_', "").parse::<f64>().ok(),
            DeValue::Integer(number) => number.to_string().parse::<f64>().ok(),
            _ => return Err(self.expected(value, "a number")),
        };
        number
            .filter(|number| *number > 0.0 && number.is_finite())
            .ok_or_else(|| self.wrong(&value.span(), "the number must be positive"))
    }

    fn ignore(&self, table: &DeTable<'_>, span: &Range<usize>) -> Result<Ignore, Problem> {
        self.only_known(table, &IGNORE_KEYS)?;
        let optional = |key: &str| -> Result<Option<String>, Problem> {
            table
                .get(key)
                .map(|value| self.text(value).map(str::to_owned))
                .transpose()
        };
        let reason = self.text(self.required(table, span, "reason")?)?.to_owned();
        let ignore = Ignore {
            test: optional("test")?,
            api: optional("api")?,
            from: optional("from")?,
            reason,
        };
        match (&ignore.test, &ignore.api, &ignore.from) {
            (None, None, None) => Err(self
                .wrong(span, "this `[[ignore]]` does not say what to ignore")
                .hint("add `test`, `api` or `from`, each a pattern with `*`")),
            (_, Some(_), Some(_)) | (Some(_), _, Some(_)) => Err(self
                .wrong(span, "`from` must be alone in an `[[ignore]]`")
                .hint("write a second `[[ignore]]` for it")),
            _ => Ok(ignore),
        }
    }

    fn pollution(&self, value: &TomlValue<'_>) -> Result<PollutionOptions, Problem> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.expected(value, "a table, like `[pollution]`"));
        };
        self.only_known(table, &POLLUTION_KEYS)?;
        let patterns = |key: &str| -> Result<Vec<String>, Problem> {
            let Some(value) = table.get(key) else {
                return Ok(Vec::new());
            };
            let patterns = self.texts(value)?;
            for pattern in &patterns {
                regex_lite::Regex::new(pattern)
                    .map_err(|error| self.wrong(&value.span(), format!("`{pattern}`: {error}")))?;
            }
            Ok(patterns)
        };
        let one_of = |key: &str, known: &[&str]| -> Result<usize, Problem> {
            let Some(value) = table.get(key) else { return Ok(0) };
            let text = self.text(value)?;
            known.iter().position(|name| *name == text).ok_or_else(|| {
                self.wrong(&value.span(), format!("unknown value `{text}`"))
                    .hint(format!("use one of {}", known.join(", ")))
            })
        };
        let all_roots = match table.get("all_roots") {
            None => false,
            Some(value) => match value.get_ref() {
                DeValue::Boolean(truth) => *truth,
                _ => return Err(self.expected(value, "`true` or `false`")),
            },
        };
        let directories = table
            .get("directories")
            .map(|value| self.texts(value))
            .transpose()?;
        Ok(PollutionOptions {
            include_roots: patterns("include_roots")?,
            exclude_roots: patterns("exclude_roots")?,
            exclude_fields: patterns("exclude_fields")?,
            all_roots,
            eager: table
                .get("eager")
                .map(|value| self.text_as(value, Eager::from_str))
                .transpose()?
                .unwrap_or_default(),
            capture: [Points::WholeTest, Points::Body, Points::SetUps]
                [one_of("capture", &["whole-test", "body", "set-ups"])?],
            directories: directories
                .unwrap_or_default()
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            most_objects: table
                .get("most_objects")
                .map(|value| self.number(value))
                .transpose()?,
            abstractions: table
                .get("abstraction")
                .map(|value| self.tables("pollution.abstraction", value, TomlReader::abstraction))
                .transpose()?
                .unwrap_or_default(),
        })
    }

    fn abstraction(&self, table: &DeTable<'_>, span: &Range<usize>) -> Result<Abstraction, Problem> {
        self.only_known(table, &ABSTRACTION_KEYS)?;
        let class = self.text(self.required(table, span, "class")?)?.to_owned();
        let value = self.required(table, span, "compare")?;
        let compare = match value.get_ref() {
            DeValue::String(text) if text == "nothing" => Compare::Nothing,
            DeValue::String(text) => {
                return Err(self
                    .wrong(&value.span(), format!("unknown value `{text}`"))
                    .hint(format!(
                        "write `\"nothing\"`, or the fields that count, like `[\"{text}\"]`"
                    )));
            }
            DeValue::Array(fields) if fields.is_empty() => {
                return Err(self
                    .wrong(&value.span(), "no field is named")
                    .hint("write `\"nothing\"` if no field counts"));
            }
            DeValue::Array(_) => Compare::Fields(self.texts(value)?),
            _ => return Err(self.expected(value, "`\"nothing\"` or an array of fields")),
        };
        Ok(Abstraction { class, compare })
    }

    fn only_known(&self, table: &DeTable<'_>, known: &[&str]) -> Result<(), Problem> {
        match table
            .iter()
            .find(|(key, _)| !known.contains(&key.get_ref().as_ref()))
        {
            Some((key, _)) => Err(self.unknown_key(key.get_ref(), &key.span(), known)),
            None => Ok(()),
        }
    }

    fn required<'t, 'v>(
        &self,
        table: &'t DeTable<'v>,
        span: &Range<usize>,
        key: &str,
    ) -> Result<&'t TomlValue<'v>, Problem> {
        table
            .get(key)
            .ok_or_else(|| self.wrong(span, format!("`{key}` is missing")))
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_findings::Severity;
    use unflake_protocol::{Level, Seed};

    #[test]
    fn every_key_is_read() {
        let text = r#"
            rounds = 5
            budget = "90s"
            seed = 0x10
            level = "eq"
            control = 2
            api = "HashMap.*"
            skip_api = ["File.list", "Set.of"]
            from = ["com.example.*"]
            skip_from = "com.example.generated.*"
            jobs = 4
            java = "../jdk"
            timeout = "1m"
            isolation = "off"
            fail_on = "note"

            [[model]]
            method = "com.example.Dao.findAll"
            kind = "permute"

            [[model]]
            method = "com.example.Dao.any"
            kind = "one-of"
            values = ["a", 1, 2.5, true]

            [[model]]
            method = "com.example.Math.sum"
            kind = "tolerance"
            tolerance = 1e-9

            [[ignore]]
            test = "com.example.*#legacy*"
            reason = "old"

            [[ignore]]
            from = "com.example.Sorted*"
            reason = "sorted later"

            [pollution]
            include_roots = "com\\.example\\..*"
            exclude_roots = [".*Cache"]
            exclude_fields = ".*\\.modified"
            all_roots = true
            eager = "class"
            capture = "body"
            directories = "work"
            most_objects = 50_000

            [[pollution.abstraction]]
            class = "com.example.Money"
            compare = ["amount", "currency"]

            [[pollution.abstraction]]
            class = "com.example.Clock"
            compare = "nothing"
        "#;
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let model = |method: &str, kind| UserModel {
            method: method.to_owned(),
            kind,
        };
        let expect = Config {
            rounds: Some(5),
            budget: Some(Duration::from_secs(90)),
            seed: Some(SeedSetting::Fixed(Seed(16))),
            level: Some(LevelSetting::Only(Level::Eq)),
            control: Some(2),
            api: texts(&["HashMap.*"]),
            skip_api: texts(&["File.list", "Set.of"]),
            from: texts(&["com.example.*"]),
            skip_from: texts(&["com.example.generated.*"]),
            jobs: Some(4),
            java: Some(PathBuf::from("../jdk")),
            timeout: Some(Duration::from_secs(60)),
            isolation: Some(IsolationSetting::Off),
            fail_on: Some(FailOn::Severity(Severity::Note)),
            user_models: vec![
                model("com.example.Dao.findAll", UserModelKind::Permute),
                model(
                    "com.example.Dao.any",
                    UserModelKind::OneOf(texts(&["a", "1", "2.5", "true"])),
                ),
                model("com.example.Math.sum", UserModelKind::Tolerance(1e-9)),
            ],
            ignores: vec![
                Ignore {
                    test: Some("com.example.*#legacy*".to_owned()),
                    api: None,
                    from: None,
                    reason: "old".to_owned(),
                },
                Ignore {
                    test: None,
                    api: None,
                    from: Some("com.example.Sorted*".to_owned()),
                    reason: "sorted later".to_owned(),
                },
            ],
            pollution: PollutionOptions {
                include_roots: texts(&[r"com\.example\..*"]),
                exclude_roots: texts(&[".*Cache"]),
                exclude_fields: texts(&[r".*\.modified"]),
                all_roots: true,
                eager: Eager::Class,
                capture: Points::Body,
                directories: vec![PathBuf::from("work")],
                most_objects: Some(50_000),
                abstractions: vec![
                    Abstraction {
                        class: "com.example.Money".to_owned(),
                        compare: Compare::Fields(texts(&["amount", "currency"])),
                    },
                    Abstraction {
                        class: "com.example.Clock".to_owned(),
                        compare: Compare::Nothing,
                    },
                ],
            },
        };
        assert_eq!(Config::parse(text, Path::new("unflake.toml")), Ok(expect));
    }

    #[test]
    fn no_file_is_no_problem_and_the_first_place_counts() {
        let project = tempfile::tempdir().unwrap();
        let rounds = || Config::read(project.path()).unwrap().rounds;
        assert_eq!(rounds(), None);
        fs::create_dir(project.path().join(".config")).unwrap();
        fs::write(project.path().join(".config/unflake.toml"), "rounds = 1").unwrap();
        assert_eq!(rounds(), Some(1));
        fs::write(project.path().join("unflake.toml"), "rounds = 2").unwrap();
        assert_eq!(rounds(), Some(2));
    }
}
