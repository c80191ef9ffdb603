//! Suppression in the user's own sources (N8): a comment or an annotation that says "this order is meant".
//!
//! ```java
//! // unflake: ignore[UF100] the order is documented by Foo
//! @Test void lists() { … }
//!
//! @SuppressWarnings("unflake:UF100")
//! class WholeClassTest { … }
//! ```
//!
//! A comment counts before a method or class, at the end of its line, and inside of a method. The source is not parsed
//! as Java but only cut into words, braces and comments: enough to know in which class and method one is, for any
//! version of the language.

use crate::{Suppression, rules};
use std::path::{Path, PathBuf};

/// Whether `rule` is suppressed for `method` of `class` (its binary name) in this source text, by the method or one of
/// the classes around it.
pub fn suppressed_in(source: &str, class: &str, method: &str, rule: &str) -> Option<Suppression> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let wanted: Vec<&str> = simple.split('$').collect();
    let mut walk = TokenWalk {
        tokens: tokens(source),
        ..TokenWalk::default()
    };
    walk.run();
    let mut applying: Vec<SuppressedRule> = walk
        .found
        .into_iter()
        .filter(|found| rules::covers(&found.rule, rule) && found.applies_to(&wanted, method))
        .collect();
    // The nearest wins: its reason is the one that was written for this test.
    applying.sort_by_key(|found| std::cmp::Reverse((found.method.is_some(), found.classes.len())));
    applying.into_iter().next().map(|found| found.suppression)
}

/// The source file of a class in a module, or none if it is not where builds put them.
pub fn source_file(module: &Path, class: &str) -> Option<PathBuf> {
    const ROOTS: [&str; 7] = [
        "src/test/java",
        "src/it/java",
        "src/integration-test/java",
        "src/integrationTest/java",
        "src/test",
        "test",
        "src/main/java",
    ];
    let outermost = class.split('$').next().unwrap_or(class);
    let file = format!("{}.java", outermost.replace('.', "/"));
    ROOTS
        .iter()
        .map(|root| module.join(root).join(&file))
        .find(|path| path.is_file())
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// The contents of a string literal, as written.
    Text(String),
    /// A comment, and whether something stands before it on its line.
    Comment {
        text: String,
        trailing: bool,
    },
    Sign(char),
}

/// Cuts Java source into the few things that matter here.
fn tokens(source: &str) -> Vec<Token> {
    let letters: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_is_empty = true;
    while at < letters.len() {
        let rest = &letters[at..];
        let first = rest[0];
        let taken = match rest {
            ['/', '/', ..] => {
                let end = find(rest, &['\n']).unwrap_or(rest.len());
                tokens.push(Token::Comment {
                    text: rest[2..end].iter().collect(),
                    trailing: !line_is_empty,
                });
                end
            }
            ['/', '*', ..] => {
                let end = find(&rest[2..], &['*', '/']).map_or(rest.len(), |end| end + 4);
                let text = rest[2..end.saturating_sub(2).max(2)].iter().collect();
                tokens.push(Token::Comment {
                    text,
                    trailing: !line_is_empty,
                });
                end
            }
            ['"', '"', '"', ..] => text_until(rest, 3, &['"', '"', '"'], &mut tokens),
            ['"', ..] => text_until(rest, 1, &['"'], &mut tokens),
            ['\'', ..] => {
                let mut ignored = Vec::new();
                text_until(rest, 1, &['\''], &mut ignored)
            }
            _ if first.is_alphanumeric() || first == '_' || first == '$' => {
                let end = rest
                    .iter()
                    .position(|c| !(c.is_alphanumeric() || *c == '_' || *c == '$'));
                let end = end.unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].iter().collect()));
                end
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(Token::Sign(first));
                }
                1
            }
        };
        line_is_empty = match rest[..taken].iter().rposition(|c| *c == '\n') {
            Some(line_end) => rest[line_end + 1..taken].iter().all(|c| c.is_whitespace()),
            None => line_is_empty && rest[..taken].iter().all(|c| c.is_whitespace()),
        };
        at += taken;
    }
    tokens
}

fn find(letters: &[char], wanted: &[char]) -> Option<usize> {
    letters.windows(wanted.len()).position(|window| window == wanted)
}

/// A literal that begins with `opening` letters and ends with `closing`; a backslash takes the next letter with it.
fn text_until(letters: &[char], opening: usize, closing: &[char], tokens: &mut Vec<Token>) -> usize {
    let mut at = opening;
    while at < letters.len() && !letters[at..].starts_with(closing) {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    let end = at.min(letters.len());
    tokens.push(Token::Text(letters[opening.min(end)..end].iter().collect()));
    (end + closing.len()).min(letters.len())
}

/// One rule that is suppressed at one place.
#[derive(Clone, Debug)]
struct SuppressedRule {
    classes: Vec<String>,
    method: Option<String>,
    rule: String,
    suppression: Suppression,
}

impl SuppressedRule {
    fn applies_to(&self, classes: &[&str], method: &str) -> bool {
        match &self.method {
            Some(own) => own == method && self.classes == classes,
            None => {
                self.classes.len() <= classes.len() && self.classes.iter().eq(&classes[..self.classes.len()])
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Brace {
    Class(String),
    Method(String),
    Other,
}

#[derive(Clone, Debug, Default)]
enum Behind {
    #[default]
    Header,
    /// `{`.
    Opened,
    /// `}` of these classes and this method.
    Closed(Vec<String>, Option<String>),
    /// `;`.
    Member,
}

/// Goes through the tokens and knows in which class and method it is.
#[derive(Default)]
struct TokenWalk {
    tokens: Vec<Token>,
    open: Vec<Brace>,
    /// Words and signs since the last member ended, without annotations.
    header: Vec<Token>,
    /// Suppressions since then, which belong to what the header declares.
    pending: Vec<(String, Suppression)>,
    /// What stands before a comment at the end of a line.
    behind: Behind,
    found: Vec<SuppressedRule>,
}

impl TokenWalk {
    fn run(&mut self) {
        let tokens = std::mem::take(&mut self.tokens);
        let mut at = 0;
        while at < tokens.len() {
            let mut taken = 1;
            match &tokens[at] {
                Token::Comment { text, trailing } => self.comment(text, *trailing),
                Token::Sign('@') if !is_word(tokens.get(at + 1), "interface") => {
                    taken = self.annotation(&tokens[at..]);
                }
                Token::Sign('{') => self.open_brace(),
                Token::Sign('}') => {
                    let (classes, method) = self.place();
                    self.behind = match self.open.pop() {
                        Some(Brace::Class(_) | Brace::Method(_)) => Behind::Closed(classes, method),
                        _ => Behind::Member,
                    };
                    self.end_of_member();
                }
                // Inside of the parentheses of `for` it ends no member, but there nothing is pending either.
                Token::Sign(';') => {
                    self.behind = Behind::Member;
                    self.end_of_member();
                }
                other => {
                    self.behind = Behind::Header;
                    self.header.push(other.clone());
                }
            }
            at += taken;
        }
    }

    fn comment(&mut self, text: &str, trailing: bool) {
        let Some((rules, reason)) = text
            .trim()
            .strip_prefix("unflake: ignore[")
            .and_then(|rest| rest.split_once(']'))
        else {
            return;
        };
        let reason = if reason.trim().is_empty() {
            "no reason given"
        } else {
            reason.trim()
        };
        let suppression = Suppression {
            by: "comment".to_owned(),
            reason: reason.to_owned(),
        };
        let rules = rules.split(',').map(|rule| rule.trim().to_owned());
        let (classes, method) = self.place();
        match (trailing, self.behind.clone()) {
            _ if method.is_some() => self.add(classes, method, rules, &suppression),
            // An initialiser, or an anonymous class in one.
            _ if self.open.last() == Some(&Brace::Other) => {}
            (true, Behind::Closed(classes, method)) => self.add(classes, method, rules, &suppression),
            (true, Behind::Opened) => self.add(classes, None, rules, &suppression),
            // Behind a field or an import, which no test is.
            (true, Behind::Member) => {}
            _ => self.pending.extend(rules.map(|rule| (rule, suppression.clone()))),
        }
    }

    /// An annotation from its `@` on; how many tokens it has.
    fn annotation(&mut self, tokens: &[Token]) -> usize {
        let mut end = 1;
        let mut name = "";
        while let Some(Token::Word(word)) = tokens.get(end) {
            name = word;
            end += 1;
            if tokens.get(end) != Some(&Token::Sign('.')) {
                break;
            }
            end += 1;
        }
        if tokens.get(end) != Some(&Token::Sign('(')) {
            return end;
        }
        let mut depth = 0;
        for token in &tokens[end..] {
            end += 1;
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth -= 1,
                Token::Text(text) if name == "SuppressWarnings" => {
                    if let Some(rule) = text.strip_prefix("unflake:") {
                        let reason = "@SuppressWarnings".to_owned();
                        self.pending.push((
                            rule.trim().to_owned(),
                            Suppression {
                                by: "annotation".to_owned(),
                                reason,
                            },
                        ));
                    }
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        end
    }

    fn open_brace(&mut self) {
        let (classes, method) = self.place();
        // Methods of an anonymous class inside of a method are part of that method.
        let in_class = method.is_none() && matches!(self.open.last(), None | Some(Brace::Class(_)));
        let brace = if in_class {
            declared(&self.header)
        } else {
            Brace::Other
        };
        let pending = std::mem::take(&mut self.pending);
        self.open.push(brace.clone());
        if brace != Brace::Other {
            for (rule, suppression) in pending {
                let (classes, method) = self.place();
                self.add(classes, method, std::iter::once(rule), &suppression);
            }
        } else if method.is_some() {
            for (rule, suppression) in pending {
                self.add(
                    classes.clone(),
                    method.clone(),
                    std::iter::once(rule),
                    &suppression,
                );
            }
        }
        self.behind = Behind::Opened;
        self.header.clear();
    }

    fn end_of_member(&mut self) {
        self.header.clear();
        self.pending.clear();
    }

    /// The classes and the method around.
    fn place(&self) -> (Vec<String>, Option<String>) {
        let mut classes = Vec::new();
        for brace in &self.open {
            match brace {
                Brace::Class(name) => classes.push(name.clone()),
                Brace::Method(name) => return (classes, Some(name.clone())),
                Brace::Other => {}
            }
        }
        (classes, None)
    }

    fn add(
        &mut self,
        classes: Vec<String>,
        method: Option<String>,
        rules: impl Iterator<Item = String>,
        suppression: &Suppression,
    ) {
        self.found.extend(rules.map(|rule| SuppressedRule {
            classes: classes.clone(),
            method: method.clone(),
            rule,
            suppression: suppression.clone(),
        }));
    }
}

/// What a header before a brace declares.
fn declared(header: &[Token]) -> Brace {
    for (at, token) in header.iter().enumerate() {
        let next = header.get(at + 1);
        match (token, next) {
            (Token::Sign('='), _) => return Brace::Other,
            (Token::Word(word), Some(Token::Word(name)))
                if ["class", "interface", "enum", "record"].contains(&word.as_str()) =>
            {
                return Brace::Class(name.clone());
            }
            (Token::Word(name), Some(Token::Sign('('))) => return Brace::Method(name.clone()),
            _ => {}
        }
    }
    Brace::Other
}

fn is_word(token: Option<&Token>, word: &str) -> bool {
    matches!(token, Some(Token::Word(found)) if found == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
// unflake: ignore[UF100] about the file, which is no test
package a.b;
import java.util.*; // unflake: ignore[UF100] nor is an import

/** A test. */
public class OrderTest extends Base<Map<String, List<int[]>>> {
    private static final Runnable R = () -> { /* unflake: ignore[UF100] not a test */ };
    private final Comparator<String> c = new Comparator<String>() {
        // unflake: ignore[UF100] in an anonymous class
        public int compare(String a, String b) { return 0; }
    };

    // unflake: ignore[UF100] before it
    @Test
    @ParameterizedTest(name = "{0} }{")
    public void before() throws Exception { assertEquals("}", "{"); }

    @Test void plain() { for (int i = 0; i < 3; i++) { char c = '"'; } }

    @Test void behindBrace() { // unflake: ignore[UF100, UF101] behind its brace
    }

    @Test void behindEnd() {} // unflake: ignore[UF100] behind its end

    @Test void inside() {
        if (true) {
            x(); // unflake: ignore[UF100]
        }
        String text = """
            // unflake: ignore[UF999] in a text block with "quotes" }
            """;
    }

    @SuppressWarnings({"unchecked", "unflake:UF100"})
    @Test void annotated() {}

    @Test void otherRule() {
        // unflake: ignore[UF205] another rule
    }

    // unflake: ignore[UF100] a nested class
    @Nested class Inner {
        @Test void one() {}
        class Innermost { @Test void two() {} }
    }

    @Test void last() {}
}

@java.lang.SuppressWarnings(value = "unflake:UF100") final class SecondTest { @Test void x() {} }
record Point(int x) { @Test void y() {} }
"#;

    fn reason(class: &str, method: &str) -> Option<String> {
        suppressed_in(SOURCE, class, method, "UF100").map(|suppression| suppression.reason)
    }

    #[test]
    fn comments_and_annotations_hold_for_their_method_or_class() {
        let check = |class: &str, method: &str, expect: Option<&str>| {
            assert_eq!(reason(class, method).as_deref(), expect, "{class}#{method}");
        };
        check("a.b.OrderTest", "before", Some("before it"));
        check("a.b.OrderTest", "plain", None);
        check("a.b.OrderTest", "behindBrace", Some("behind its brace"));
        check("a.b.OrderTest", "behindEnd", Some("behind its end"));
        check("a.b.OrderTest", "inside", Some("no reason given"));
        check("a.b.OrderTest", "annotated", Some("@SuppressWarnings"));
        check("a.b.OrderTest", "otherRule", None);
        check("a.b.OrderTest", "last", None);
        check("a.b.OrderTest$Inner", "one", Some("a nested class"));
        check("a.b.OrderTest$Inner$Innermost", "two", Some("a nested class"));
        check("a.b.SecondTest", "x", Some("@SuppressWarnings"));
        check("a.b.Point", "y", None);
    }

    #[test]
    fn rules_are_told_apart() {
        let by = |method, rule| suppressed_in(SOURCE, "a.b.OrderTest", method, rule).is_some();
        assert!(by("behindBrace", "UF101") && by("otherRule", "UF205"));
        assert!(by("before", "UF101"), "UF100 stands for its families");
        assert!(!by("before", "UF201") && !by("inside", "UF999"));
    }

    #[test]
    fn the_nearest_suppression_gives_the_reason() {
        let source = "// unflake: ignore[UF1] class\nclass A {\n // unflake: ignore[UF1] method\n void m() {} void n() {} }";
        let reason = |method| suppressed_in(source, "A", method, "UF1").map(|s| s.reason);
        assert_eq!(reason("m").as_deref(), Some("method"));
        assert_eq!(reason("n").as_deref(), Some("class"));
    }

    #[test]
    fn broken_source_is_survived() {
        for at in (0..SOURCE.len()).filter(|at| SOURCE.is_char_boundary(*at)) {
            let _ = suppressed_in(&SOURCE[..at], "a.b.OrderTest", "last", "UF100");
        }
        let _ = suppressed_in("}}}{ \"\\", "A", "m", "UF100");
    }

    #[test]
    fn sources_are_found_by_the_outermost_class() {
        let module = tempfile::tempdir().unwrap();
        let file = module.path().join("src/test/java/a/b/OrderTest.java");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, SOURCE).unwrap();
        assert_eq!(source_file(module.path(), "a.b.OrderTest$Inner"), Some(file));
        assert_eq!(source_file(module.path(), "a.b.SecondTest"), None);
    }
}
