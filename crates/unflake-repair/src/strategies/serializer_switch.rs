//! A serializer can sort what it writes. Where the test itself makes the mapper, or makes the call, and the expected text
//! is sorted already, its own switch is turned on. No assertion is touched.

use crate::assertion::with_failed;
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, arguments, descendants};
use crate::json::Json;
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let expected = clues.failing.expected.as_deref().and_then(Json::parse);
    if !expected.is_some_and(|json| json.has_order() && json.is_sorted()) {
        return Vec::new();
    }
    let mut found: Vec<Candidate> = jackson(clues).into_iter().collect();
    found.extend(with_failed(clues, |file, comparison| {
        fastjson(clues, file, comparison.actual).into_iter().collect()
    }));
    found
}

fn is_called_by(clues: &Clues<'_>, package: &str) -> bool {
    clues
        .choice
        .stack
        .iter()
        .any(|frame| frame.method.starts_with(package))
}

/// The only mapper that the test makes.
fn jackson(clues: &Clues<'_>) -> Option<Candidate> {
    if !is_called_by(clues, "com.fasterxml.jackson.databind.") {
        return None;
    }
    let file = clues.sources.file(&clues.assertion()?.file)?;
    let mut made = file.nodes().filter(|node| {
        node.kind() == "object_creation_expression"
            && matches!(file.field(*node, "type"), "ObjectMapper" | "JsonMapper")
            && !descendants(*node).any(|below| below.kind() == "class_body")
    });
    let (Some(mapper), None) = (made.next(), made.next()) else {
        return None;
    };
    let (class, switch) = if clues.choice.api.starts_with("Class.") {
        (
            "com.fasterxml.jackson.databind.MapperFeature",
            "SORT_PROPERTIES_ALPHABETICALLY",
        )
    } else {
        (
            "com.fasterxml.jackson.databind.SerializationFeature",
            "ORDER_MAP_ENTRIES_BY_KEYS",
        )
    };
    let is_on = |file: &JavaFile| file.text().contains(switch);
    // `configure` gives an `ObjectMapper`, whatever it is called on.
    if is_on(&file) || file.field(mapper, "type") != "ObjectMapper" {
        return None;
    }
    let (name, import) = file.using(class);
    let edits = Edits::new().insert(mapper.end_byte(), format!(".configure({name}.{switch}, true)"));
    Some(candidate("the mapper", &file, edits, import))
}

/// `JSON.toJSONString(x)` in the actual value, or where its variable is declared.
fn fastjson(clues: &Clues<'_>, file: &JavaFile, actual: Node<'_>) -> Option<Candidate> {
    let is_map = !clues.choice.api.starts_with("Class.");
    let (package, class, switch) = if is_called_by(clues, "com.alibaba.fastjson2.") {
        (
            "com.alibaba.fastjson2.JSONWriter",
            "JSONWriter",
            "Feature.MapSortField",
        )
    } else if is_called_by(clues, "com.alibaba.fastjson.") {
        (
            "com.alibaba.fastjson.serializer.SerializerFeature",
            "SerializerFeature",
            "MapSortField",
        )
    } else {
        return None;
    };
    let value = file
        .declaration(file.of(actual), actual)
        .and_then(|declared| declared.child_by_field_name("value"))
        .unwrap_or(actual);
    let call = descendants(value).find(|node| file.field(*node, "name") == "toJSONString")?;
    let list = arguments(call);
    // What is there must be the value and switches, which may be any number.
    let are_switches = list
        .get(1..)?
        .iter()
        .all(|argument| file.of(*argument).contains(class));
    if !is_map || !are_switches || file.of(call).contains(switch) {
        return None;
    }
    let (name, import) = file.using(package);
    let edits = Edits::new().insert(list.last()?.end_byte(), format!(", {name}.{switch}"));
    Some(candidate("fastjson", file, edits, import))
}

fn candidate(who: &str, file: &JavaFile, edits: Edits, import: Option<Import>) -> Candidate {
    Candidate::plain(
        format!("let {who} sort what it writes, since the order was not specified"),
        &file.path,
        file.with_imports(edits, import),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    const JACKSON: &str = "com.fasterxml.jackson.databind.ser.std.MapSerializer.serialize";
    const FASTJSON: &str = "com.alibaba.fastjson.serializer.MapSerializer.write";

    fn test_of(field: &str, actual: &str, caller: &str) -> Case {
        case(&format!(
            "import com.fasterxml.jackson.databind.*;\nimport com.alibaba.fastjson.serializer.*;\nclass ATest {{\n  \
             {field}\n  void a() {{\n    assertEquals(json, {actual});/*fails*/\n  }}\n}}\n"
        ))
        .compared(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#)
        .called_by(caller)
    }

    #[test]
    fn the_mapper_of_the_test_sorts() {
        let mapper = "ObjectMapper m = new ObjectMapper();";
        test_of(mapper, "m.writeValueAsString(x)", JACKSON).check(
            propose,
            &["-ObjectMapper m = new ObjectMapper();\n\
               +ObjectMapper m = new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);"],
        );
        test_of(mapper, "m.writeValueAsString(x)", JACKSON).api("Class.getDeclaredFields").check(
            propose,
            &["-ObjectMapper m = new ObjectMapper();\n\
               +ObjectMapper m = new ObjectMapper().configure(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY, true);"],
        );
    }

    #[test]
    fn the_call_of_the_test_sorts() {
        test_of("", "JSON.toJSONString(x)", FASTJSON).check(
            propose,
            &["-assertEquals(json, JSON.toJSONString(x));\n\
               +assertEquals(json, JSON.toJSONString(x, SerializerFeature.MapSortField));"],
        );
        test_of("", "JSON.toJSONString(x, config)", FASTJSON).check(propose, &[]);
    }

    #[test]
    fn what_the_test_does_not_make_or_sort_stays() {
        let mapper = "ObjectMapper m = new ObjectMapper();";
        let unsorted = test_of(mapper, "m.writeValueAsString(x)", JACKSON);
        unsorted
            .compared(r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#)
            .check(propose, &[]);
        test_of("ObjectMapper m = mapper();", "m.writeValueAsString(x)", JACKSON).check(propose, &[]);
        test_of(mapper, "m.writeValueAsString(x)", "p.Main.write").check(propose, &[]);
    }
}
