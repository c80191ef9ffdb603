//! Java literals: what a constant expression of texts says, and texts as literals.

use crate::java::{JavaFile, named_children};
use std::fmt::Write as _;
use tree_sitter::Node;

/// The text of a string literal, a text block, or of such texts joined by `+`, in parentheses or not. `None`: it is not
/// known without running the program.
pub(crate) fn text_of(file: &JavaFile, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string_literal" => string(file.of(node)),
        "parenthesized_expression" => text_of(file, *named_children(node).first()?),
        "binary_expression" if file.field(node, "operator") == "+" => {
            let left = text_of(file, node.child_by_field_name("left")?)?;
            let right = text_of(file, node.child_by_field_name("right")?)?;
            Some(left + &right)
        }
        _ => None,
    }
}

fn string(written: &str) -> Option<String> {
    match written.strip_prefix("\"\"\"") {
        Some(block) => text_block(block.strip_suffix("\"\"\"")?),
        None => unescaped(written.strip_prefix('"')?.strip_suffix('"')?),
    }
}

/// Java's rules: the least indentation of the lines and of the closing quotes goes, and so do spaces at line ends.
fn text_block(block: &str) -> Option<String> {
    let block = block.replace("\r\n", "\n");
    let (_, content) = block.split_once('\n')?;
    let lines: Vec<&str> = content.split('\n').collect();
    let last = lines.len() - 1;
    let is_significant = |(index, line): &(usize, &&str)| *index == last || !line.trim().is_empty();
    let indent = lines
        .iter()
        .enumerate()
        .filter(is_significant)
        .map(|(_, line)| line.len() - line.trim_start().len())
        .min()?;
    let stripped: Vec<&str> = lines
        .iter()
        .map(|line| line.get(indent..).unwrap_or("").trim_end())
        .collect();
    unescaped(&stripped.join("\n"))
}

fn unescaped(written: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            's' => text.push(' '),
            '\n' => {}
            'u' => {
                while chars.peek() == Some(&'u') {
                    chars.next();
                }
                let code: String = chars.by_ref().take(4).collect();
                text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
            }
            digit @ '0'..='7' => {
                let mut value = digit.to_digit(8)?;
                while let Some(more) = chars.peek().and_then(|c| c.to_digit(8)) {
                    if value * 8 + more > 0o377 {
                        break;
                    }
                    value = value * 8 + more;
                    chars.next();
                }
                text.push(char::from_u32(value)?);
            }
            other => text.push(other),
        }
    }
    Some(text)
}

/// A text as a string literal, in ASCII.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            ' '..='~' => literal.push(c),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    let _ = write!(literal, "\\u{unit:04x}");
                }
            }
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: Option<&str>) {
        let file = JavaFile::parse("A.java", format!("class A {{ Object o = {expression}; }}")).unwrap();
        let node = file
            .nodes()
            .find_map(|node| node.child_by_field_name("value"))
            .unwrap();
        assert_eq!(text_of(&file, node).as_deref(), expected, "{expression}");
    }

    #[test]
    fn constant_texts_are_read() {
        check(r#""a\tb\"\u00e4\101""#, Some("a\tb\"äA"));
        check(r#""a" + ("b" + "c")"#, Some("abc"));
        check("\"\"\"\n    a\n      b\\n\n    \"\"\"", Some("a\n  b\n\n"));
        check("\"\"\"\n    a\n    b\"\"\"", Some("a\nb"));
        check(r#""a" + x"#, None);
        check("x", None);
    }

    #[test]
    fn a_literal_is_read_back_as_the_text_it_was_made_of() {
        let text = "a\"\\\n\r\tä\u{1f600}\u{0}";
        assert_eq!(quoted("a\"b\\c\n"), r#""a\"b\\c\n""#);
        let read = |literal: &str| {
            let units = literal.replace("\\ud83d\\ude00", "\u{1f600}");
            string(&units)
        };
        assert_eq!(read(&quoted(text)).as_deref(), Some(text));
    }
}
