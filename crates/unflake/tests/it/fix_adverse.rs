//! `unflake fix` on sources that are awkward to edit: what is not part of the repair stays as it is, byte for byte.

use crate::fixture::Fixture;
use std::fs;
use std::path::Path;

/// One source, as it is and as it is to be.
struct Awkward {
    path: &'static str,
    before: String,
    after: String,
}

const OLD: &str = "assertEquals(\"[a, b]\", new HashSet<>(Arrays.asList(\"b\", \"a\")).toString());";
const NEW: &str = "assertEquals(Set.of(\"a\", \"b\"), new HashSet<>(Arrays.asList(\"b\", \"a\")));";
const IMPORTS: &str = "import static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport java.util.*;\n\
                       import org.junit.jupiter.api.*;\n\
                       import org.junit.jupiter.params.ParameterizedTest;\n\
                       import org.junit.jupiter.params.provider.ValueSource;\n\n";

/// A source with `OLD` where `{}` stands.
fn awkward(path: &'static str, classes: &str) -> Awkward {
    let package = if path.contains("/p/") {
        "package p;\n\n"
    } else {
        ""
    };
    let text = |statement: &str| format!("{package}{IMPORTS}{}", classes.replace("{}", statement));
    Awkward {
        path,
        before: text(OLD),
        after: text(NEW),
    }
}

fn all() -> Vec<Awkward> {
    let long = format!(
        "class LongTest {{\n  @Test void a() {{ String s = \"{}\"; {{}} }}\n}}\n",
        "x".repeat(400)
    );
    let mut crlf = awkward(
        "src/test/java/p/CrlfTest.java",
        "class CrlfTest {\n\t@Test\n\tvoid a() {\n\t\t{}\t// why\n\t}\n}\n",
    );
    for text in [&mut crlf.before, &mut crlf.after] {
        *text = text.replace('\n', "\r\n");
    }
    let mut block = awkward(
        "src/test/java/p/BlockTest.java",
        "class BlockTest {\n  String text = \"\"\"\n      {\n        \\\"quoted\\\"   \n      }\"\"\";\n\n  \
         @Test\n  void a() {\n    {}\n  }\n}\n",
    );
    let in_block =
        "assertEquals(\"\"\"\n        [a, b]\"\"\", new HashSet<>(Arrays.asList(\"b\", \"a\")).toString());";
    block.before = block.before.replace(OLD, in_block);
    vec![
        crlf,
        block,
        awkward("src/test/java/p/LongTest.java", &long),
        awkward(
            "src/test/java/p/NestTest.java",
            "class NestTest {\n  @Nested\n  class Inner {\n    @Nested\n    class Innermost {\n      @Test\n      \
             void a() {\n        {}\n      }\n    }\n  }\n}\n",
        ),
        awkward(
            "src/test/java/p/ManyTest.java",
            "class ManyTest {\n  @ParameterizedTest\n  @ValueSource(ints = {1, 2})\n  void a(int n) {\n    {}\n  }\n}\n",
        ),
        awkward(
            "src/test/java/p/TwoTest.java",
            "class TwoTest {\n  @Test\n  void a() {\n    Second.check();\n  }\n}\n\nclass Second {\n  \
             static void check() {\n    {}\n  }\n}\n",
        ),
        awkward(
            "src/test/java/BareTest.java",
            "class BareTest {\n  @Test\n  void a() {\n    {}\n  }\n} // no end of line",
        ),
        awkward(
            "src/test/java/p/LatinTest.java",
            "/** \u{e9}t\u{e9} */\nclass LatinTest {\n  String accent = \"\u{e8}\";\n\n  @Test\n  void a() {\n    {}\n  }\n}\n",
        ),
    ]
}

/// Each letter is a byte.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

#[test]
fn what_is_not_part_of_the_repair_stays_byte_for_byte() {
    let fixture = Fixture::written(&[]);
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/repair/pom.xml");
    let pom = fs::read_to_string(pom).unwrap();
    let pom = pom.replace(">8<", ">17<").replace("UTF-8", "ISO-8859-1");
    fixture.write("pom.xml", &pom);
    for source in all() {
        fixture.write(source.path, "");
        fs::write(fixture.project().join(source.path), latin(&source.before)).unwrap();
    }
    // With a seed, no clock ends the search for causes.
    let checked = fixture.unflake("check --seed 7");
    assert_eq!(checked.status.code(), Some(1));
    let fixed = fixture.unflake("fix --apply --allow-dirty");
    let said = String::from_utf8_lossy(&fixed.stdout).into_owned();
    assert_eq!(
        fixed.status.code(),
        Some(0),
        "{said}{}",
        String::from_utf8_lossy(&fixed.stderr)
    );
    for source in all() {
        let bytes = fs::read(fixture.project().join(source.path)).unwrap();
        let text: String = bytes.into_iter().map(char::from).collect();
        assert_eq!(text, source.after, "{}", source.path);
    }
}
