//! Text of a test made harmless. Messages, elements and even test names are whatever somebody's program makes of them.

use serde::Serialize;

/// Without what cannot be seen or moves other text about; line ends and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let unified = text.replace("\r\n", "\n");
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        // Marks that turn the direction of the text around: with them one thing is written and another read.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        // Not characters at all: parsers of HTML complain.
        '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    unified.chars().map(harmless).collect()
}

/// For HTML and SVG, between tags and in quoted attributes.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// As JSON inside of a `script` element. The letters that could end the element or begin a comment stand only in
/// strings of the JSON, so they can be written as escapes.
pub(super) fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("the page's data has no map whose keys are not text");
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A quoted string of Graphviz. Backslashes are doubled, since `\N` and others mean something in a label, and so do
/// entities.
pub(super) fn dot(text: &str) -> String {
    let mut escaped = String::from("\"");
    for c in visible(text).chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '&' => escaped.push_str("&amp;"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped.push('"');
    escaped
}

/// The beginning, no longer than that many letters.
pub(super) fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

/// One line, no longer than that many letters.
pub(super) fn line(text: &str, letters: usize) -> String {
    // Cut first, generously: a message may be megabytes long, and only its beginning counts.
    let beginning: String = text.chars().take(letters * 8).collect();
    let words = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.len() > beginning.len() && words.chars().count() < letters {
        true => format!("{words} …"),
        false => cut(&words, letters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_element() {
        assert_eq!(
            html("</script><b a=\"x\" b='y'>&amp;"),
            "&lt;/script&gt;&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;"
        );
        assert_eq!(html("a\0b\u{1b}[31m\r\nc\td"), "a\u{fffd}b\u{fffd}[31m\nc\td");
        assert_eq!(html("\u{202e}gpj.exe"), "\u{fffd}gpj.exe");
    }

    #[test]
    fn json_cannot_end_its_script() {
        let text = "</script><!--<script>&\u{2028}\"\\\n";
        let json = script_json(&text);
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\n']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn graphviz_reads_what_was_written() {
        assert_eq!(dot("a\"b\\N\n&lt;\u{7}"), r#""a\"b\\N\n&amp;lt;�""#);
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(line("a\n  b\tc", 10), "a b c");
        assert_eq!(line(&"x".repeat(5_000_000), 10), format!("{}…", "x".repeat(9)));
        assert_eq!(line(&format!("a{}b", " ".repeat(1000)), 10), "a …");
    }
}
