//! Documentation comments and the declarations they stand before.

/// A class or method of a source file. Methods without a comment are there too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documented {
    /// The class inside its file: `HashMap`, `Map.Entry`.
    pub class: String,
    /// `None`: the class itself.
    pub method: Option<String>,
    /// What the method returns, without modifiers and type parameters: `Class<?>[]`; empty for constructors.
    pub result: String,
    /// The comment as [`plain_text`].
    pub text: String,
    /// Public itself and in public classes only.
    pub public: bool,
}

/// All classes and methods of a Java source file, in its order.
pub fn scan(source: &str) -> Vec<Documented> {
    let mut scanner = Scanner {
        found: Vec::new(),
        open: Vec::new(),
        declaration: String::new(),
        comment: String::new(),
    };
    for token in (Tokens { rest: source }) {
        scanner.take(token);
    }
    scanner.found
}

enum Token<'s> {
    Documentation(&'s str),
    /// A string, character or text block: its contents never matter.
    Literal,
    Space,
    Character(char),
}

struct Tokens<'s> {
    rest: &'s str,
}

impl<'s> Iterator for Tokens<'s> {
    type Item = Token<'s>;

    fn next(&mut self) -> Option<Token<'s>> {
        let rest = self.rest;
        let first = rest.chars().next()?;
        let (length, token) = if rest.starts_with("/**") && !rest.starts_with("/**/") {
            let length = end_of(rest, 3, "*/");
            (
                length,
                Token::Documentation(rest[3..length].trim_end_matches("*/")),
            )
        } else if rest.starts_with("/*") {
            (end_of(rest, 2, "*/"), Token::Space)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), Token::Space)
        } else if rest.starts_with("\"\"\"") {
            (end_of_literal(rest, 3, "\"\"\""), Token::Literal)
        } else if first == '"' || first == '\'' {
            (end_of_literal(rest, 1, &rest[..1]), Token::Literal)
        } else if first.is_whitespace() {
            (first.len_utf8(), Token::Space)
        } else {
            (first.len_utf8(), Token::Character(first))
        };
        self.rest = &rest[length..];
        Some(token)
    }
}

fn end_of(text: &str, from: usize, end: &str) -> usize {
    text[from..]
        .find(end)
        .map_or(text.len(), |at| from + at + end.len())
}

fn end_of_literal(text: &str, from: usize, end: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if text.as_bytes()[at..].starts_with(end.as_bytes()) {
            return at + end.len();
        } else {
            at += 1;
        }
    }
    text.len()
}

/// What a brace opened.
enum Open {
    Class {
        name: String,
        public: bool,
        interface: bool,
    },
    /// A method's body, an initialiser, an array: nothing inside of it is documentation.
    Code,
}

struct Scanner {
    found: Vec<Documented>,
    open: Vec<Open>,
    /// Text since the last declaration ended, comments and literals left out.
    declaration: String,
    /// The last documentation comment, if no declaration ended since.
    comment: String,
}

impl Scanner {
    fn take(&mut self, token: Token<'_>) {
        if let Some(Open::Code) = self.open.last() {
            match token {
                Token::Character('{') => self.open.push(Open::Code),
                Token::Character('}') => drop(self.open.pop()),
                _ => {}
            }
            return;
        }
        match token {
            Token::Documentation(text) => self.comment = text.to_owned(),
            Token::Literal => self.declaration.push_str("\"\""),
            Token::Space => self.declaration.push(' '),
            // A brace inside of an annotation's parentheses opens no body.
            Token::Character(c @ ('{' | '}' | ';')) if self.is_inside_parentheses() => {
                self.declaration.push(c)
            }
            Token::Character('{') => {
                let opened = self.declared(true);
                self.open.push(opened);
            }
            Token::Character(';') => drop(self.declared(false)),
            Token::Character('}') => {
                self.open.pop();
                self.declaration.clear();
                self.comment.clear();
            }
            Token::Character(c) => self.declaration.push(c),
        }
    }

    fn is_inside_parentheses(&self) -> bool {
        let count = |wanted: char| self.declaration.chars().filter(|c| *c == wanted).count();
        count('(') > count(')')
    }

    /// Ends a declaration; what its brace opens.
    fn declared(&mut self, has_body: bool) -> Open {
        let declaration = without_annotations(&std::mem::take(&mut self.declaration));
        let comment = std::mem::take(&mut self.comment);
        let (outer, outer_public, in_interface) = match self.open.last() {
            Some(Open::Class {
                name,
                public,
                interface,
            }) => (format!("{name}."), *public, *interface),
            _ => (String::new(), true, false),
        };
        let words: Vec<&str> = declaration.split_whitespace().collect();
        let public =
            outer_public && (words.contains(&"public") || in_interface && !words.contains(&"private"));
        if let (true, Some((name, interface))) = (has_body, declared_class(&words)) {
            let class = format!("{outer}{name}");
            self.found.push(Documented {
                class: class.clone(),
                text: plain_text(&comment),
                public,
                ..Documented::default()
            });
            return Open::Class {
                name: class,
                public,
                interface,
            };
        }
        if let Some((result, method)) = declared_method(&declaration) {
            self.found.push(Documented {
                class: outer.trim_end_matches('.').to_owned(),
                method: Some(method),
                result,
                text: plain_text(&comment),
                public: public && !outer.is_empty(),
            });
        }
        Open::Code
    }
}

/// The class's simple name, and whether its members are public without saying so.
fn declared_class(words: &[&str]) -> Option<(String, bool)> {
    let at = words
        .iter()
        .position(|word| matches!(*word, "class" | "interface" | "enum" | "@interface" | "record"))?;
    // `record` and `enum` may be ordinary names, in a method's parameters for example.
    if words[..at].iter().any(|word| word.contains(['(', '='])) {
        return None;
    }
    let name: String = words
        .get(at + 1)?
        .chars()
        .take_while(|c| is_name_character(*c))
        .collect();
    (!name.is_empty()).then(|| (name, matches!(words[at], "interface" | "@interface")))
}

/// Result type and name, if this declares a method or constructor.
fn declared_method(declaration: &str) -> Option<(String, String)> {
    let head = declaration.split_once('(')?.0;
    if head.contains('=') {
        return None;
    }
    let head = head.trim_end();
    let start = head.rfind(|c| !is_name_character(c)).map_or(0, |at| at + 1);
    let (before, name) = head.split_at(start);
    if name.is_empty() {
        return None;
    }
    let mut before = before.trim();
    while let Some((word, rest)) = before.split_once(char::is_whitespace).or(Some((before, ""))) {
        let modifier = matches!(
            word,
            "public"
                | "protected"
                | "private"
                | "static"
                | "final"
                | "abstract"
                | "native"
                | "synchronized"
                | "default"
                | "strictfp"
        );
        if !modifier {
            break;
        }
        before = rest.trim_start();
    }
    Some((
        without_type_parameters(before)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        name.to_owned(),
    ))
}

/// `<T extends Annotation> T[]` is `T[]`.
fn without_type_parameters(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
    }
    text
}

/// Annotations may have parentheses of their own, which must not be taken for a method's.
fn without_annotations(declaration: &str) -> String {
    let mut kept = String::new();
    let mut rest = declaration;
    while let Some(at) = rest.find('@') {
        kept.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(declared) = after.strip_prefix("interface") {
            kept.push_str("@interface");
            rest = declared;
            continue;
        }
        let name = after
            .find(|c| !is_name_character(c) && c != '.')
            .unwrap_or(after.len());
        let arguments = &after[name..];
        rest = if arguments.trim_start().starts_with('(') {
            after_parentheses(arguments)
        } else {
            arguments
        };
        kept.push(' ');
    }
    kept.push_str(rest);
    kept
}

fn after_parentheses(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return &text[at + 1..];
                }
            }
            _ => {}
        }
    }
    ""
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// A comment's words: without the stars at the margin, tags of HTML, inline tags of Javadoc (`{@code x}` is `x`,
/// `{@link #a b}` is `b`), and with single spaces.
pub fn plain_text(comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        text.push_str(line.trim_start().trim_start_matches('*'));
        text.push('\n');
    }
    let text = without_inline_tags(&text);
    let text = without_html(&text);
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn without_inline_tags(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{@") {
        plain.push_str(&rest[..at]);
        let tag = &rest[at + 2..];
        let end = end_of_tag(tag);
        let (name, contents) = tag[..end]
            .split_once(char::is_whitespace)
            .unwrap_or((&tag[..end], ""));
        match name {
            "link" | "linkplain" => plain.push_str(label(contents)),
            "inheritDoc" | "docRoot" | "value" | "systemProperty" => plain.push_str(contents),
            _ => plain.push_str(&without_inline_tags(contents)),
        }
        rest = tag.get(end + 1..).unwrap_or("");
    }
    plain.push_str(rest);
    plain
}

/// Where the brace that opened a tag closes; braces nest.
fn end_of_tag(tag: &str) -> usize {
    let mut depth = 1;
    for (at, c) in tag.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tag.len()
}

/// The words that a link shows: those after its target, else the target. Targets may have spaces in parentheses.
fn label(link: &str) -> &str {
    let link = link.trim();
    let mut depth = 0;
    for (at, c) in link.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if c.is_whitespace() && depth == 0 => return link[at..].trim_start(),
            _ => {}
        }
    }
    link.trim_start_matches('#')
}

fn without_html(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        let tag = &rest[at + 1..];
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tag.find('>') {
            Some(end) if is_tag && !tag[..end].contains('<') => rest = &tag[end + 1..],
            _ => {
                plain.push('<');
                rest = tag;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        package p;
        /** Not this: { brace */
        import java.util.*;
        /**
         * A <i>box</i>, see {@link Map#of(Object, Object) its map}.
         * @param <T> what
         */
        @Deprecated(since = "1{") // comment {
        public final class Box<T> implements Comparable<Box<T>> {
            /** The {@code x} of {@link #size}. */
            public static final int[] X = { 1, f("}") };
            private static int f(String s) { return '{'; }
            /** All of them, in   no
             * particular order. */
            @SuppressWarnings({"unchecked", "(raw"})
            public synchronized <A extends Comparable<A>> A[] all(Class<A> type, int... n) throws Error {
                class Local { /** no */ public void hidden() {} }
                return null;
            }
            public Box() { }
            Object[] packagePrivate() { return null; }
            /** An entry. */
            public interface Entry {
                /** Of an interface. */
                Set<String> names();
                int SIZE = count();
            }
            enum Kind { A("x") { public void one() {} }, B; public int[] two() { return null; } }
        }
    "#;

    fn shown() -> Vec<String> {
        scan(SOURCE)
            .into_iter()
            .map(|d| {
                let method = d.method.map_or(String::new(), |m| format!("#{m}:{}", d.result));
                format!(
                    "{}{}{method} | {}",
                    if d.public { "+" } else { "-" },
                    d.class,
                    d.text
                )
            })
            .collect()
    }

    #[test]
    fn classes_and_methods_are_found_with_their_words() {
        assert_eq!(
            shown(),
            [
                "+Box | A box, see its map. @param what",
                "-Box#f:int | ",
                "+Box#all:A[] | All of them, in no particular order.",
                "+Box#Box: | ",
                "-Box#packagePrivate:Object[] | ",
                "+Box.Entry | An entry.",
                "+Box.Entry#names:Set<String> | Of an interface.",
                "-Box.Kind | ",
                // A constant with arguments looks like a constructor; it is never public, which is all that counts.
                "-Box.Kind#A: | ",
                "-Box.Kind#two:int[] | ",
            ]
        );
    }

    #[test]
    fn markup_is_taken_off() {
        let comment = "\n * Size <em>n</em> by\n *  <i>m</i>; {@code a < b}, {@linkplain #f(int, int) f}, {@link #g},\n * 1 < 2 &lt; 3.";
        assert_eq!(plain_text(comment), "Size n by m; a < b, f, g, 1 < 2 < 3.");
    }

    #[test]
    fn unfinished_sources_do_not_loop_or_panic() {
        for end in (0..SOURCE.len()).filter(|at| SOURCE.is_char_boundary(*at)) {
            scan(&SOURCE[..end]);
        }
    }
}
