//! What of shared state is looked at and how, as `[pollution]` in `unflake.toml` says it: on projects that are written here.
//!
//! A run of a real build takes seconds, so each project has many cases: its classes say what they are for.

use crate::fixture::Fixture;
use serde_json::Value;

const CHECK: &str = "--only pollution --no-proof";

/// `Class#test path: old → new` of each finding, sorted.
fn changes(document: &Value) -> Vec<String> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = document["findings"].as_array().unwrap().iter();
    let mut changes: Vec<String> = findings
        .map(|finding| {
            let test = text(finding, "test");
            let test = test.rsplit('.').next().unwrap_or_default();
            let (path, old, new) = (text(finding, "path"), text(finding, "old"), text(finding, "new"));
            format!("{test} {path}: {old} → {new}")
        })
        .collect();
    changes.sort();
    changes
}

fn notes(document: &Value) -> Vec<&str> {
    let notes = document["notes"].as_array().unwrap().iter();
    notes.map(|note| note["message"].as_str().unwrap()).collect()
}

/// A class with static fields that hold much, and one with a field that holds little.
#[test]
fn a_root_that_reaches_too_much_is_refused_and_the_others_are_watched() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Large.java",
            "package shop;
            import java.util.*;
            public class Large {
                public static final List<Object> objects = new ArrayList<>();
                public static final List<Object> links = new LinkedList<>();
                public static final List<Object> few = new ArrayList<>();
                static {
                    for (int i = 0; i < 300; i++) {
                        objects.add(new int[] {i});
                        links.add(\"the same\");
                    }
                }
            }",
        ),
        (
            "src/test/java/shop/LargeTest.java",
            "package shop;
            import org.junit.jupiter.api.*;
            class LargeTest {
                @BeforeAll static void load() { Large.few.clear(); }
                @Test void addsAnObject() { Large.objects.add(\"one more\"); }
                @Test void addsALink() { Large.links.add(\"one more\"); }
                @Test void addsToFew() { Large.few.add(\"one more\"); }
            }",
        ),
    ]);
    let all = [
        "LargeTest#addsALink Large.links[300]:  → \"one more\"",
        "LargeTest#addsAnObject Large.objects[300]:  → \"one more\"",
        "LargeTest#addsToFew Large.few[0]:  → \"one more\"",
    ];
    let document = project.check(CHECK);
    assert_eq!(changes(&document), all);
    assert_eq!(notes(&document), Vec::<&str>::new());

    project.write("unflake.toml", "[pollution]\nmost_objects = 100\n");
    let document = project.check(CHECK);
    assert_eq!(changes(&document), [all[2]]);
    let refused = |field: &str| {
        format!(
            "`shop.Large.{field}` is not watched: it reaches more than 100 objects; `most_objects` in `[pollution]` of unflake.toml sets the limit"
        )
    };
    assert_eq!(notes(&document), [refused("links"), refused("objects")]);
}

/// Each setting leaves out or brings in what a test changes; those that match nothing are named.
#[test]
fn patterns_and_abstractions_decide_what_counts_and_those_without_use_are_named() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Basket.java",
            "package shop;
            public class Basket {
                public static Money total = new Money();
                public static Price price = new Price();
                public static Item item = new Item();
                public static Clock[] clocks = {new Clock(), null};
                public static int load;
                static { clocks[1] = clocks[0]; }
                public static class Money { public int amount; public String text; }
                public static class Discount extends Money { public int percent; }
                public static class Price { public int amount; }
                public static class Item { public boolean seen; public int pieces; }
                public static class Clock { public long now; }
            }",
        ),
        (
            "src/main/java/shop/Noise.java",
            "package shop; public class Noise { public static int level; }",
        ),
        (
            "src/test/java/shop/BasketTest.java",
            "package shop;
            import org.apache.commons.lang3.builder.*;
            import org.junit.jupiter.api.*;
            class BasketTest {
                @BeforeAll static void load() {
                    Basket.load = 0;
                    Noise.level = 0;
                    ToStringBuilder.getDefaultStyle();
                }
                @Test void amount() { Basket.total.amount = 2; }
                @Test void text() { Basket.total.text = \"2 EUR\"; }
                @Test void subclass() {
                    Basket.Discount discount = new Basket.Discount();
                    discount.amount = Basket.total.amount;
                    discount.text = Basket.total.text;
                    Basket.total = discount;
                }
                @Test void price() { Basket.price.amount = 3; }
                @Test void seen() { Basket.item.seen = true; }
                @Test void pieces() { Basket.item.pieces = 4; }
                @Test void clock() { Basket.clocks[0].now = 5; }
                @Test void twoClocks() { Basket.clocks[1] = new Basket.Clock(); Basket.clocks[1].now = Basket.clocks[0].now; }
                @Test void noise() { Noise.level = 6; }
                @Test void library() { ToStringBuilder.setDefaultStyle(ToStringStyle.SIMPLE_STYLE); }
            }",
        ),
    ]);
    let always = [
        "BasketTest#amount Basket.total.amount: 0 → 2",
        "BasketTest#pieces Basket.item.pieces: 0 → 4",
        "BasketTest#price Basket.price.amount: 0 → 3",
        "BasketTest#subclass Basket.total: Basket.Money → Basket.Discount",
    ];
    let left_out = [
        "BasketTest#clock Basket.clocks[0].now: 0 → 5",
        "BasketTest#noise Noise.level: 0 → 6",
        "BasketTest#seen Basket.item.seen: false → true",
        "BasketTest#text Basket.total.text: null → \"2 EUR\"",
        "BasketTest#twoClocks Basket.clocks[1]: Basket.Clock (shared) → Basket.Clock",
    ];
    let mut expected: Vec<&str> = always.into_iter().chain(left_out).collect();
    expected.sort_unstable();
    let document = project.check(CHECK);
    assert_eq!(changes(&document), expected);
    assert_eq!(notes(&document), Vec::<&str>::new());

    project.write(
        "unflake.toml",
        r#"
        [pollution]
        include_roots = ["shop\\..*", ".*\\.Basket\\..*", ".*\\.ToStringBuilder\\..*", "shp\\..*"]
        exclude_roots = ["shop\\.Noise\\..*", ".*\\.LOGGER"]
        exclude_fields = ["shop\\.Basket\\$Item\\.seen", "shop\\.Item\\.seen"]

        [[pollution.abstraction]]
        class = "shop.Basket$Money"
        compare = ["amount"]

        [[pollution.abstraction]]
        class = "shop.Basket$Clock"
        compare = "nothing"

        [[pollution.abstraction]]
        class = "shop.Basket$Price"
        compare = ["amout"]

        [[pollution.abstraction]]
        class = "shop.Money"
        compare = "nothing"
        "#,
    );
    let document = project.check(CHECK);
    let mut expected = always.to_vec();
    expected.push(
        "BasketTest#library ToStringBuilder.defaultStyle: ToStringStyle.DefaultToStringStyle → ToStringStyle.SimpleToStringStyle",
    );
    expected.sort_unstable();
    assert_eq!(changes(&document), expected);
    assert_eq!(
        notes(&document),
        [
            "the abstraction of `shop.Basket$Price` is not used: it has no field `amout`; it has `amount`",
            "the abstraction of `shop.Money` is not used: no object of this class was reached; its name needs the package, and `$` before a nested class",
            r"the pattern `.*\.LOGGER` of `exclude_roots` matches no static field that would be watched; correct it or remove it",
            r"the pattern `shop\.Item\.seen` of `exclude_fields` matches no field of the objects that were reached; it must match all of `package.Class.field`",
            r"the pattern `shp\..*` of `include_roots` matches no static field of the classes that were loaded; it must match all of `package.Class.field`",
        ]
    );
}

/// A thread that changes everything while it is read, a class with ten thousand fields, classes that are unloaded.
#[test]
fn wild_heaps_are_walked() {
    let fields: String = (0..10_000).map(|n| format!("public static int f{n};\n")).collect();
    let project = Fixture::written(&[
        (
            "src/main/java/hard/Wild.java",
            "package hard;
            import java.util.*;
            public class Wild {
                public static volatile int ticks;
                public static final StringBuilder text = new StringBuilder();
                public static final Map<Integer, Object> map = new HashMap<>();
                public static final List<Object> list = new ArrayList<>();
                public static String mode = \"plain\";
            }",
        ),
        (
            "src/test/java/hard/WildTest.java",
            "package hard;
            import java.util.*;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class WildTest {
                static volatile boolean ends;
                @BeforeAll static void load() { Wild.mode = \"plain\"; }
                @Test void aStartsAThread() throws Exception {
                    Thread thread = new Thread(WildTest::run, \"wild\");
                    thread.setDaemon(true);
                    thread.start();
                    while (Wild.ticks < 1000) { Thread.yield(); }
                }
                static void run() {
                    while (!ends) {
                        Wild.ticks++;
                        Wild.text.append(\"more and more\");
                        if (Wild.text.length() > 2000) { Wild.text.setLength(0); }
                        Wild.map.put(Wild.ticks % 500, new int[] {Wild.ticks});
                        Wild.list.add(new int[] {Wild.ticks});
                        if (Wild.list.size() > 500) { Wild.list.clear(); }
                    }
                }
                @Test void bChangesTheMode() { Wild.mode = \"wild\"; }
                @Test void cDoesNothing() {}
                @Test void dDoesNothing() {}
                @Test void zEndsTheThread() { ends = true; }
            }",
        ),
        (
            "src/main/java/hard/Many.java",
            &format!("package hard; public class Many {{ {fields} }}"),
        ),
        (
            "src/test/java/hard/ManyTest.java",
            "package hard;
            import org.junit.jupiter.api.*;
            class ManyTest {
                @BeforeAll static void load() { Many.f0 = 0; }
                @Test void changesOne() { Many.f9999 = 1; }
                @Test void changesNone() { Many.f9998 = 1; Many.f9998 = 0; }
            }",
        ),
        (
            "src/main/java/hard/Holder.java",
            "package hard; public class Holder { public static Object object; public static int size; }",
        ),
        (
            "src/main/java/hard/Plugin.java",
            "package hard; public class Plugin { static int made; Object[] self = {this}; public Plugin() { made++; } }",
        ),
        (
            "src/test/java/hard/UnloadedTest.java",
            "package hard;
            import java.lang.ref.WeakReference;
            import java.net.*;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class UnloadedTest {
                @BeforeAll static void load() { Holder.size = 0; }
                static Object made() throws Exception {
                    URL here = Holder.class.getProtectionDomain().getCodeSource().getLocation();
                    URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
                    return loader.loadClass(\"hard.Plugin\").getConstructor().newInstance();
                }
                static void drop() {
                    WeakReference<Class<?>> type = new WeakReference<>(Holder.object.getClass());
                    Holder.object = null;
                    for (int i = 0; i < 100 && type.get() != null; i++) { System.gc(); }
                    Assertions.assertNull(type.get(), \"the class is held\");
                }
                @Test void aKeepsOne() throws Exception { Holder.object = made(); }
                @Test void bDropsIt() { drop(); }
                @Test void cKeepsAndDrops() throws Exception { Holder.object = made(); drop(); }
                @Test void dDoesNothing() {}
                @Test void eChangesTheSize() { Holder.size = 1; }
            }",
        ),
    ]);
    let document = project.check(CHECK);
    let state = |change: &String| !change.contains("\"wild\"") || change.contains("Wild.");
    let found: Vec<String> = changes(&document).into_iter().filter(state).collect();
    assert_eq!(
        found,
        [
            "ManyTest#changesOne Many.f9999: 0 → 1",
            "UnloadedTest#aKeepsOne Holder.object: null → Plugin",
            "UnloadedTest#bDropsIt Holder.object: Plugin → null",
            "UnloadedTest#eChangesTheSize Holder.size: 0 → 1",
            "WildTest#bChangesTheMode Wild.mode: \"plain\" → \"wild\"",
            "WildTest#zEndsTheThread WildTest.ends: false → true",
        ]
    );
    for root in ["ticks", "text", "map", "list"] {
        let start = format!("`hard.Wild.{root}` is not watched: a thread ");
        let said = notes(&document);
        assert!(said.iter().any(|note| note.starts_with(&start)), "{root}: {said:?}");
    }
    assert_eq!(document["excluded"], serde_json::json!([]));
}
