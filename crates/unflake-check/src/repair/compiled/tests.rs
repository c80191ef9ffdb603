use super::super::overlay::tests::{sourced, texts};
use super::*;

/// Writes class files: big-endian numbers, and constants as they are asked for.
#[derive(Default)]
struct Writer {
    constants: Vec<Vec<u8>>,
}

impl Writer {
    fn add(&mut self, constant: Vec<u8>) -> u16 {
        self.constants.push(constant);
        u16::try_from(self.constants.len()).unwrap()
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).unwrap().to_be_bytes();
        self.add([&[1][..], &length, text.as_bytes()].concat())
    }

    fn named(&mut self, tag: u8, text: &str) -> u16 {
        let name = self.utf8(text).to_be_bytes();
        self.add([&[tag][..], &name].concat())
    }
}

/// A method: its name, whether a compiler made it up, and its lines.
type MethodText<'t> = (&'t str, bool, &'t [u16]);

/// A class `A` with these methods and texts.
fn class(access: u16, methods: &[MethodText<'_>], strings: &[&str]) -> Vec<u8> {
    let mut writer = Writer::default();
    let (this, above) = (writer.named(7, "A"), writer.named(7, "java/lang/Object"));
    for text in strings {
        writer.named(8, text);
    }
    let (code, table, descriptor) = (
        writer.utf8("Code"),
        writer.utf8("LineNumberTable"),
        writer.utf8("()V"),
    );
    let mut members = Vec::new();
    let short = |number: usize| u16::try_from(number).unwrap().to_be_bytes();
    let long = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    for (name, is_synthetic, lines) in methods {
        let access = if *is_synthetic { SYNTHETIC } else { 0 };
        let mut numbers: Vec<u8> = short(lines.len()).into();
        for line in *lines {
            numbers.extend([0, 0]);
            numbers.extend(line.to_be_bytes());
        }
        let mut body: Vec<u8> = vec![0, 0, 0, 1];
        // One instruction, `return`, and no handlers.
        body.extend([0, 0, 0, 1, 0xb1, 0, 0, 0, 1]);
        body.extend(table.to_be_bytes());
        body.extend(long(numbers.len()));
        body.extend(numbers);
        for number in [access, writer.utf8(name), descriptor, 1, code] {
            members.extend(number.to_be_bytes());
        }
        members.extend(long(body.len()));
        members.extend(body);
    }
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
    bytes.extend(short(writer.constants.len() + 1));
    bytes.extend(writer.constants.concat());
    for number in [access, this, above, 0, 0] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(short(methods.len()));
    bytes.extend(members);
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn what_repairs_rely_on_is_compared() {
    let built = class(0, &[("a", false, &[3, 4, 5]), ("b", false, &[7])], &["x"]);
    let told = |ours: Vec<u8>| difference(&built, &ours).unwrap_or_else(|| "same".to_owned());
    let same: &[MethodText<'_>] = &[("b", false, &[7]), ("a", false, &[5, 3])];
    assert_eq!(told(class(0, same, &["x"])), "same");
    // Another compiler adds what it likes, and may know no lines.
    let added = [same, &[("lambda$a$0", true, &[4])]].concat();
    assert_eq!(told(class(0, &added, &["x"])), "same");
    assert_eq!(
        told(class(0, &[("a", false, &[]), ("b", false, &[7])], &["x"])),
        "same"
    );
    let longer: &[MethodText<'_>] = &[("a", false, &[3, 6]), ("b", false, &[7])];
    assert_eq!(told(class(0, longer, &["x"])), "`A.a`");
    assert_eq!(told(class(0, &same[1..], &["x"])), "`A.b`");
    let more = [same, &[("c", false, &[9])]].concat();
    assert_eq!(told(class(0, &more, &["x"])), "`A.c`");
    assert_eq!(told(class(0, same, &["y"])), "the text \"x\" in `A`");
    assert_eq!(told(b"no class".to_vec()), "a class that cannot be read");
}

#[test]
fn nested_classes_belong_to_their_source() {
    let folder = tempfile::tempdir().unwrap();
    let (built, ours) = (folder.path().join("built"), folder.path().join("ours"));
    let write = |folder: &Path, name: &str, bytes: &[u8]| {
        fs::create_dir_all(folder.join("p")).unwrap();
        fs::write(folder.join("p").join(name), bytes).unwrap();
    };
    let plain = class(0, &[], &[]);
    for folder in [&built, &ours] {
        write(folder, "A.class", &plain);
    }
    let compared = || of_source(&built, "p/A", &ours);
    assert_eq!(compared(), Compiled::Same);
    // Classes of other sources, and those that a compiler needs for itself.
    write(&built, "Ab.class", &plain);
    write(&ours, "A$1.class", &class(SYNTHETIC, &[], &[]));
    assert_eq!(compared(), Compiled::Same);
    write(&built, "A$Inner.class", &plain);
    assert_eq!(compared(), Compiled::Different("the class `A$Inner`".to_owned()));
    write(&ours, "A$Inner.class", &class(0, &[], &["new"]));
    let text = "the text \"new\" in `A`".to_owned();
    assert_eq!(compared(), Compiled::Different(text));
}

#[test]
fn what_cannot_be_compiled_is_told_and_the_rest_compared() {
    let (a, b) = ("m1/src/test/java/p/ATest.java", "m1/src/test/java/p/BTest.java");
    let sourced = sourced("p.ATest#a", &[(a, "ERROR"), (b, "class BTest {}")]);
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    let files: BTreeSet<String> = texts(&[(a, ""), (b, ""), ("gone.java", "")])
        .into_keys()
        .collect();
    let found = compare(&files, &sourced.sources, &mut overlays);
    assert_eq!(found.len(), 2);
    assert_eq!(found[a], Compiled::Not("line 1: no".to_owned()));
    // The compiler of our tests writes nothing.
    assert!(matches!(&found[b], Compiled::Different(_)), "{found:?}");
}

#[test]
fn sums_of_texts_are_constants_of_two_kinds() {
    let method: &[MethodText<'_>] = &[("a", false, &[3])];
    let (parts, sum) = (
        class(0, method, &["x is ", "y"]),
        class(0, method, &["x is \u{1}y"]),
    );
    assert_eq!(difference(&parts, &sum), None);
    let another = class(0, method, &["x was \u{1}y"]);
    assert_eq!(
        difference(&sum, &another).as_deref(),
        Some("the text \"x is \\u{1}y\" in `A`")
    );
}
