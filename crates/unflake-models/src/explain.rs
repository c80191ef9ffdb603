//! What `unflake models`, `unflake models NAME` and `docs/models.md` say. Text only: printing is the program's.

use crate::{Basis, Edit, Kind, MODELS, Model, Road};
use std::fmt::Write as _;

/// A family of models: what findings of one rule have in common.
pub struct Family {
    pub rule: &'static str,
    pub name: &'static str,
    /// How to write the test (or the code) so that it holds for every allowed result.
    pub advice: &'static str,
    /// Java that passes by luck, and the same repaired.
    pub before: &'static str,
    pub after: &'static str,
}

/// The families, in the order of their rules.
pub static FAMILIES: &[Family] = &[
    Family {
        rule: "UF100",
        name: "cause not known yet",
        advice: "Compare without order, or fix the order in the code under test; `unflake models` lists what varied.",
        before: r#"for (Order order : orders.values()) {     // a HashMap
    text.append(order);
}
assertEquals("first, second", text.toString());"#,
        after: r#"for (Order order : new TreeMap<>(orders).values()) {
    text.append(order);
}
assertEquals("first, second", text.toString());"#,
    },
    Family {
        rule: "UF101",
        name: "hash collections",
        advice: "Compare sets and maps as such (`assertEquals(Set.of(…), set)`, `containsExactlyInAnyOrder`), not \
                 their text or first element; where users see the order, use `LinkedHashMap`, `TreeMap` or sort.",
        before: r#"Map<String, Integer> cart = new HashMap<>();
assertEquals("{pear=2, plum=5}", cart.toString());"#,
        after: r#"assertEquals(Map.of("pear", 2, "plum", 5), cart);      // in the test
Map<String, Integer> cart = new LinkedHashMap<>();     // or in the code, if users see it"#,
    },
    Family {
        rule: "UF102",
        name: "concurrent hash maps",
        advice: "Compare as a set or map; for a stable order use `ConcurrentSkipListMap`, or sort what is printed. \
                 Reductions must not care about order.",
        before: r#"Map<String, Integer> hits = new ConcurrentHashMap<>();
assertEquals(List.of("a", "b"), new ArrayList<>(hits.keySet()));"#,
        after: r#"assertEquals(Set.of("a", "b"), hits.keySet());         // in the test
Map<String, Integer> hits = new ConcurrentSkipListMap<>();     // or in the code"#,
    },
    Family {
        rule: "UF103",
        name: "priority queues",
        advice: "Only `poll` follows the priority: drain the queue, or sort its array, before comparing.",
        before: r#"Queue<Integer> queue = new PriorityQueue<>(List.of(3, 1, 2));
assertEquals("[1, 3, 2]", queue.toString());"#,
        after: r#"List<Integer> drained = new ArrayList<>();
while (!queue.isEmpty()) drained.add(queue.poll());
assertEquals(List.of(1, 2, 3), drained);"#,
    },
    Family {
        rule: "UF104",
        name: "reflection",
        advice: "Sort members by declaring class, name and parameter types (annotations by type) where the order \
                 shows, or look each one up by name.",
        before: r#"Field first = Row.class.getDeclaredFields()[0];
assertEquals("name", first.getName());"#,
        after: r#"Field first = Row.class.getDeclaredField("name");      // by name
Field[] fields = Row.class.getDeclaredFields();        // or sorted, where all are wanted
Arrays.sort(fields, Comparator.comparing(Field::getName));"#,
    },
    Family {
        rule: "UF105",
        name: "directories",
        advice: "Sort the names, or compare them as a set.",
        before: r#"String[] names = directory.list();
assertEquals("a.txt", names[0]);"#,
        after: r#"String[] names = directory.list();
Arrays.sort(names);
assertEquals("a.txt", names[0]);"#,
    },
    Family {
        rule: "UF106",
        name: "locales and time zones",
        advice: "Look for the locale or zone that is wanted instead of taking one by its place; read zone rows by \
                 index, never by their length.",
        before: r#"Locale locale = NumberFormat.getAvailableLocales()[0];
String[] zone = symbols.getZoneStrings()[0];
String last = zone[zone.length - 1];"#,
        after: r#"Locale locale = Locale.ROOT;
String[] zone = Arrays.stream(symbols.getZoneStrings())
    .filter(row -> row[0].equals("Europe/Paris")).findFirst().get();
String shortDaylightName = zone[4];"#,
    },
    Family {
        rule: "UF107",
        name: "identity hashes",
        advice: "Do not compare, print or sort by the default `hashCode` or `toString`; give the class its own.",
        before: r#"assertEquals("Point@1b6d3586", point.toString());
points.sort(Comparator.comparing(Object::hashCode));"#,
        after: r#"record Point(int x, int y) {}                          // has its own toString, equals, hashCode
assertEquals("Point[x=1, y=2]", point.toString());
points.sort(Comparator.comparing(Point::x).thenComparing(Point::y));"#,
    },
    Family {
        rule: "UF108",
        name: "immutable sets and maps",
        advice: "Their order differs from one JVM to the next by design: compare as a set or map; where the order \
                 shows, keep a `List` or a `LinkedHashMap`.",
        before: r#"Set<String> colours = Set.of("red", "green");
assertEquals("red", colours.iterator().next());"#,
        after: r#"List<String> colours = List.of("red", "green");
assertEquals("red", colours.get(0));"#,
    },
    Family {
        rule: "UF109",
        name: "ties and duplicates",
        advice: "Break ties in the comparator, or assert only what all equal elements have in common.",
        before: r#"Queue<Job> jobs = new PriorityQueue<>(Comparator.comparing(Job::priority));
assertEquals("first", jobs.poll().name());             // two have the same priority"#,
        after: r#"Queue<Job> jobs = new PriorityQueue<>(
    Comparator.comparing(Job::priority).thenComparing(Job::number));
assertEquals("first", jobs.poll().name());"#,
    },
    Family {
        rule: crate::USER_RULE,
        name: "models from `unflake.toml`",
        advice: "The project says itself that this result is open: compare accordingly, or remove the model.",
        before: r#"List<Row> rows = dao.findAll();                        // SQL without ORDER BY
assertEquals("first", rows.get(0).name());"#,
        after: r#"List<Row> rows = dao.findAll();
rows.sort(Comparator.comparing(Row::name));            // or ORDER BY in the query
assertEquals("first", rows.get(0).name());"#,
    },
];

/// The family of a rule.
pub fn family(rule: &str) -> Option<&'static Family> {
    FAMILIES
        .iter()
        .find(|family| family.rule.eq_ignore_ascii_case(rule))
}

/// The table that `unflake models` prints.
pub fn list() -> String {
    let width = MODELS.iter().map(|model| model.name.len()).max().unwrap_or(0);
    let mut text = format!(
        "{:width$}  {:7}  {:9}  {:5}  java\n",
        "model", "kind", "basis", "rule"
    );
    for model in MODELS {
        let _ = writeln!(
            text,
            "{:width$}  {:7}  {:9}  {:5}  {}",
            model.name,
            model.kind,
            model.basis,
            model.rule,
            javas(model.since, model.until)
        );
    }
    text
}

/// What `unflake models NAME` prints: what varies, the sentence that allows it, what is edited, how to write the test.
pub fn explain(model: &Model) -> String {
    let mut text = format!("{}  ({}, {})\n", model.name, model.rule, family_name(model.rule));
    let _ = writeln!(text, "\n{}", indented(&may_vary(model), "  "));
    let _ = writeln!(text, "  {}", basis(model.basis));
    let _ = writeln!(text, "\n{}", indented(&format!("“{}”", model.quote), "    "));
    let _ = writeln!(text, "    {}", shown_place(model.quoted_from));
    let _ = writeln!(text, "\n  Java     {}", javas(model.since, model.until));
    for (n, road) in model.roads.iter().enumerate() {
        let label = if n == 0 { "Edited" } else { "" };
        let _ = writeln!(text, "  {label:8} {}", shown_road(road));
    }
    if !model.through.is_empty() {
        let _ = writeln!(text, "  Through  {}", model.through.join(", "));
    }
    if model.roads.is_empty() && model.through.is_empty() {
        let _ = writeln!(
            text,
            "  Edited   nothing: the generator that the JVM draws these from is shifted"
        );
    }
    let used_by: Vec<&str> = MODELS
        .iter()
        .filter(|other| other.through.contains(&model.name))
        .map(|other| other.name)
        .collect();
    if !used_by.is_empty() {
        let _ = writeln!(text, "{}", hanging("  Also     ", &used_by.join(", ")));
    }
    if let Some(family) = family(model.rule) {
        let _ = writeln!(text, "\n  Instead:\n{}", indented(family.advice, "    "));
    }
    text
}

/// `docs/models.md`.
pub fn markdown() -> String {
    let about = "A model describes an API of the JDK whose documentation allows several results for one input. Its \
                 *basis* is `stated` if its own documentation says so, `inherited` if that of a supertype does, and \
                 `silent` if the documentation says nothing about order; findings are then at most warnings.";
    let mut text = format!(
        "# Models\n\n\
         Generated from `crates/unflake-models`; do not edit. `unflake models NAME` says the same about one model.\n\n\
         {}\n\n\
         | kind | what may vary |\n|---|---|\n",
        indented(about, "")
    );
    for kind in [Kind::Permute, Kind::Extend, Kind::Random, Kind::Pick] {
        let _ = writeln!(text, "| `{kind}` | {} |", kind_varies(kind));
    }
    for family in FAMILIES {
        let models: Vec<&Model> = MODELS.iter().filter(|model| model.rule == family.rule).collect();
        if models.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "\n## {}: {}\n\n{}\n",
            family.rule,
            family.name,
            indented(family.advice, "")
        );
        text.push_str("| model | kind | basis | Java | varies by | because |\n|---|---|---|---|---|---|\n");
        for model in models {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} | “{}” ({}) |",
                model.name,
                model.kind,
                model.basis,
                javas(model.since, model.until),
                varies_by(model),
                escaped(model.quote),
                escaped(&shown_place(model.quoted_from)),
            );
        }
    }
    let refused = "`cargo xtask models candidates` searches a JDK's sources for more candidates: public methods whose \
                   documentation mentions order, determinism or \"not specified\", or that return arrays. These were \
                   refused:";
    let _ = write!(
        text,
        "\n## Considered and refused\n\n{}\n\n| methods | result | why not |\n|---|---|---|\n",
        indented(refused, "")
    );
    for refusal in crate::REFUSALS {
        let result = refusal.result.unwrap_or("");
        let result = if result.is_empty() {
            String::new()
        } else {
            format!("`{}`", escaped(result))
        };
        let _ = writeln!(
            text,
            "| `{}` | {result} | {} |",
            refusal.method,
            escaped(refusal.reason)
        );
    }
    text
}

fn may_vary(model: &Model) -> String {
    let exception = match model.name {
        "Class.getNestMembers" => " The first element, the nest's host, stays first.",
        "Method.getParameterAnnotations" | "Constructor.getParameterAnnotations" => {
            " Only inside of each parameter: the parameters stay in declaration order."
        }
        "Field.getAnnotationsByType" => {
            " Only whether an annotation that stands beside its own container comes before or after the container's: \
             the order inside of a container is specified."
        }
        "DateFormatSymbols.getZoneStrings" => {
            " Each row may be longer than five, and the rows may come in any order; what `setZoneStrings` set stays."
        }
        _ => "",
    };
    format!("{}.{exception}", kind_varies(model.kind))
}

fn kind_varies(kind: Kind) -> &'static str {
    match kind {
        Kind::Permute => "The same elements in any order",
        Kind::Extend => "More elements than now",
        Kind::Random => "Any value, but one value per object and run",
        Kind::Pick => "Any of several results that all satisfy the specification",
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Stated => "Its own documentation leaves this open:",
        Basis::Inherited => "The documentation of a supertype, or of what it is built on, leaves this open:",
        Basis::Silent => "The documentation says nothing about the order, so findings are at most warnings:",
    }
}

fn family_name(rule: &str) -> &'static str {
    family(rule).map_or("", |family| family.name)
}

fn varies_by(model: &Model) -> String {
    let mut classes: Vec<String> = Vec::new();
    for road in model.roads {
        let shown = format!(
            "`{}.{}`",
            road.class.rsplit('/').next().unwrap_or(road.class),
            road.method
        );
        if !classes.contains(&shown) {
            classes.push(shown);
        }
    }
    classes.extend(model.through.iter().map(|name| format!("through `{name}`")));
    if classes.is_empty() {
        "the JVM's generator".to_owned()
    } else {
        classes.join(", ")
    }
}

/// `java.io.File.list(FilenameFilter)  Java 8+`.
fn shown_road(road: &Road) -> String {
    let parameters = road
        .descriptor
        .split(')')
        .next()
        .unwrap_or("")
        .trim_start_matches('(');
    let how = match road.edit {
        Edit::Wrap { .. } => "what it returns",
        Edit::Instead { .. } | Edit::Around { .. } => "the whole call",
        Edit::AfterCalls { .. } => "what its comparisons say",
    };
    format!(
        "{}.{}({})  {}, Java {}",
        road.class.replace('/', "."),
        road.method,
        simple_types(parameters).join(", "),
        how,
        javas(road.since, road.until)
    )
}

pub(crate) fn simple_types(descriptor: &str) -> Vec<String> {
    let mut types = Vec::new();
    let mut rest = descriptor;
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let element = &rest[dimensions..];
        let (name, after) = match element.strip_prefix('L').and_then(|class| class.split_once(';')) {
            Some((class, after)) => (class.rsplit(['/', '$']).next().unwrap_or(class), after),
            None => (primitive(element), element.get(1..).unwrap_or("")),
        };
        types.push(format!("{name}{}", "[]".repeat(dimensions)));
        rest = after;
    }
    types
}

fn primitive(descriptor: &str) -> &'static str {
    match descriptor.as_bytes().first() {
        Some(b'B') => "byte",
        Some(b'C') => "char",
        Some(b'D') => "double",
        Some(b'F') => "float",
        Some(b'I') => "int",
        Some(b'J') => "long",
        Some(b'S') => "short",
        Some(b'Z') => "boolean",
        _ => "?",
    }
}

/// `8+`, `9–16`.
fn javas(since: u8, until: Option<u8>) -> String {
    match until {
        None => format!("{since}+"),
        Some(until) if until == since => format!("{since}"),
        Some(until) => format!("{since}–{until}"),
    }
}

/// `java/io/File#list` as Java people write it.
fn shown_place(from: &str) -> String {
    let (class, method) = from
        .split_once('#')
        .map_or((from, None), |(class, method)| (class, Some(method)));
    let class = class.replace('/', ".");
    method.map_or_else(|| class.clone(), |method| format!("{class}.{method}"))
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*").replace('<', "&lt;")
}

fn indented(text: &str, margin: &str) -> String {
    wrapped(text, margin, margin)
}

fn hanging(label: &str, text: &str) -> String {
    wrapped(text, label, &" ".repeat(label.len()))
}

/// Lines of at most a hundred characters.
fn wrapped(text: &str, first: &str, others: &str) -> String {
    const WIDTH: usize = 100;
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut margin = first;
    for word in text.split_whitespace() {
        if line.len() > margin.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, others.to_owned()));
            margin = others;
        }
        if line.len() > margin.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn every_rule_has_a_family() {
        for model in MODELS {
            assert!(
                family(model.rule).is_some(),
                "{} has rule {}",
                model.name,
                model.rule
            );
        }
    }

    #[test]
    fn every_family_shows_a_repair() {
        for family in FAMILIES {
            assert!(
                !family.before.is_empty() && !family.after.is_empty(),
                "{}",
                family.rule
            );
            assert_ne!(family.before, family.after, "{}", family.rule);
            let lines = family.before.lines().chain(family.after.lines());
            assert!(lines.clone().all(|line| line.len() <= 96), "{}", family.rule);
            assert!(lines.count() <= 8, "{} is not short", family.rule);
        }
    }

    #[test]
    fn the_list_has_a_line_for_each_model() {
        let text = list();
        assert_eq!(text.lines().count(), MODELS.len() + 1);
        let line = text
            .lines()
            .find(|line| line.starts_with("Class.getNestMembers "))
            .unwrap();
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>(),
            ["Class.getNestMembers", "permute", "stated", "UF104", "11+"]
        );
        // Columns are aligned.
        let column = text.find("kind").unwrap();
        assert!(
            text.lines()
                .all(|line| line.as_bytes()[column - 1] == b' ' && line.as_bytes()[column] != b' ')
        );
    }

    #[test]
    fn one_model_is_explained_in_full() {
        let (_, model) = find("File.list").unwrap();
        assert_eq!(
            explain(model),
            "\
File.list  (UF105, directories)

  The same elements in any order.
  Its own documentation leaves this open:

    “There is no guarantee that the name strings in the resulting array will appear in any specific
    order”
    java.io.File.list

  Java     8+
  Edited   java.io.File.list()  what it returns, Java 8+
           java.io.File.list(FilenameFilter)  what it returns, Java 8+

  Instead:
    Sort the names, or compare them as a set.
"
        );
    }

    #[test]
    fn a_model_without_roads_says_what_it_varies_through() {
        let text = explain(find("Parameter.getAnnotations").unwrap().1);
        assert!(
            text.contains("Through  Method.getParameterAnnotations, Constructor.getParameterAnnotations"),
            "{text}"
        );
        let text = explain(find("Class.getDeclaredClasses").unwrap().1);
        assert!(text.contains("Also     Class.getClasses"), "{text}");
        let text = explain(find("Object.hashCode").unwrap().1);
        assert!(text.contains("generator"), "{text}");
    }

    #[test]
    fn descriptors_are_shown_as_java_writes_them() {
        assert_eq!(
            simple_types("[Ljava/lang/Object;I[[JLjava/util/Map$Entry;"),
            ["Object[]", "int", "long[][]", "Entry"]
        );
        assert!(simple_types("").is_empty());
    }

    /// Write it anew: `UNFLAKE_BLESS=1 cargo test -p unflake-models`, or `cargo xtask models docs`.
    #[test]
    fn the_page_about_models_is_fresh() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/models.md");
        if std::env::var_os("UNFLAKE_BLESS").is_some() {
            std::fs::write(page, markdown()).unwrap();
        }
        let written = std::fs::read_to_string(page).unwrap_or_default();
        assert!(
            written == markdown(),
            "docs/models.md is stale: UNFLAKE_BLESS=1 cargo test -p unflake-models"
        );
    }
}
