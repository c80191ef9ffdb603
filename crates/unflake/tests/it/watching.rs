//! What of shared state is looked at and how, as `[pollution]` in `unflake.toml` says it: on projects that are written
//! here.
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
fn of_a_root_that_reaches_too_much_a_sample_is_compared() {
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
                @Test void changesTheFirst() { ((int[]) Large.objects.get(0))[0] = 7; }
                @Test void changesTheLast() { ((int[]) Large.objects.get(299))[0] = 7; }
            }",
        ),
    ]);
    let all = [
        "LargeTest#addsALink Large.links[300]:  → \"one more\"",
        "LargeTest#addsAnObject Large.objects[300]:  → \"one more\"",
        "LargeTest#addsToFew Large.few[0]:  → \"one more\"",
        "LargeTest#changesTheFirst Large.objects[0][0]: 0 → 7",
        "LargeTest#changesTheLast Large.objects[299][0]: 299 → 7",
    ];
    let document = project.check(CHECK);
    assert_eq!(changes(&document), all);
    assert_eq!(notes(&document), Vec::<&str>::new());

    project.write("unflake.toml", "[pollution]\nmost_objects = 100\n");
    let document = project.check(CHECK);
    assert_eq!(
        changes(&document),
        [
            "LargeTest#addsALink Large.links[100]: 300 → 301",
            "LargeTest#addsAnObject Large.objects[100]: 300 → 301",
            all[2],
            "LargeTest#changesTheFirst Large.objects[0][0]: 0 → 7",
        ]
    );
    assert_eq!(
        notes(&document),
        [
            "`shop.Large.links` and `shop.Large.objects` are compared by a sample only, since each reaches more than 100 \
             objects; `most_objects` in `[pollution]` of unflake.toml sets the limit"
        ]
    );
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
    let fields: String = (0..10_000)
        .map(|n| format!("public static int f{n};\n"))
        .collect();
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
        let name = format!("`hard.Wild.{root}`");
        let said = notes(&document);
        let is_said = |note: &&&str| note.contains(&name) && note.contains(" not watched: a thread ");
        assert!(said.iter().any(|note| is_said(&note)), "{root}: {said:?}");
    }
    assert_eq!(document["summary"]["partial"], true);
    assert_eq!(document["excluded"], serde_json::json!([]));
}

/// With `--graph` what is around a change is told as triples and drawn on a page in the store.
#[test]
fn the_neighbourhood_is_told_and_drawn() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Effects.java",
            "package shop;
            import java.util.*;
            public class Effects {
                public static final Effects INSTANCE = new Effects();
                public static String mode = \"plain\";
                final Map<String, Effect> byName = new HashMap<>();
                int size = 1;
                Effects() { byName.put(\"speed\", new Effect(2)); }
                public String mode() { return mode; }
                public void add(String name, int duration) { byName.put(name, new Effect(duration)); }
                static class Effect {
                    final int duration;
                    final List<String> tags = new ArrayList<>(Collections.singleton(\"new\"));
                    Effect(int duration) { this.duration = duration; }
                }
            }",
        ),
        (
            "src/test/java/shop/EffectsTest.java",
            "package shop;
            import org.junit.jupiter.api.*;
            class EffectsTest {
                @BeforeAll static void load() { Effects.mode = \"plain\"; }
                @Test void adds() { Effects.INSTANCE.add(\"haste\", 7); }
                @Test void changesTheMode() { Effects.mode = \"debug\"; }
            }",
        ),
    ]);
    let output =
        project.unflake("check --only pollution --no-proof --graph --format json=result.json --format text");
    let text = String::from_utf8(output.stdout).unwrap();
    let json = std::fs::read_to_string(project.project().join("result.json")).unwrap();
    let document: Value = serde_json::from_str(&json).unwrap();
    let page = document["run"]["pictures"].as_str().unwrap();
    let finding = |test: &str| {
        let findings = document["findings"].as_array().unwrap();
        findings.iter().find(|one| one["test"] == test).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (adds, mode) = (
        finding("shop.EffectsTest#adds"),
        finding("shop.EffectsTest#changesTheMode"),
    );
    let block = format!(
        "    graph      Effects                           INSTANCE   Effects
               Effects.INSTANCE                  byName     HashMap
               Effects.INSTANCE.byName           [\"speed\"]  Effects.Effect
             + Effects.INSTANCE.byName           [\"haste\"]  Effects.Effect
             + Effects.INSTANCE.byName[\"haste\"]  duration   7
             + Effects.INSTANCE.byName[\"haste\"]  tags       ArrayList[\"new\"]
    picture  file://{page}#{adds}
"
    );
    assert!(text.contains(&block), "{text}");
    assert!(text.contains(&format!("file://{page}#{mode}\n")), "{text}");
    assert!(page.starts_with(project.store().to_str().unwrap()), "{page}");
    let page = std::fs::read_to_string(page).unwrap();
    for part in [
        format!("<section id=\"{adds}\">"),
        format!("<section id=\"{mode}\">"),
        ">+ duration = 7</text>".to_owned(),
        ">- mode = &quot;plain&quot;</text>".to_owned(),
    ] {
        assert!(page.contains(&part), "{part} is missing in\n{page}");
    }
}

/// What is undone by tear-down, by the next set-up, or by nobody; what a class is the first to load.
#[test]
fn capture_points_and_eager_loading_show_what_they_promise() {
    let project = Fixture::written(&[
        (
            "src/main/java/cap/State.java",
            "package cap;
            public class State {
                public static String cleaned = \"plain\", left = \"plain\", reset = \"plain\", old = \"plain\";
                public static String torn = \"plain\", ofClass = \"plain\";
                public static int count;
            }",
        ),
        (
            "src/test/java/cap/BodyTest.java",
            "package cap;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class BodyTest {
                @BeforeAll static void load() { State.count = 0; }
                @BeforeEach void reset() { State.reset = \"plain\"; }
                @AfterEach void clean() { State.cleaned = \"plain\"; }
                @Test void aTearDownUndoesIt() { State.cleaned = \"a\"; }
                @Test void bNobodyUndoesIt() { State.left = \"b\"; }
                @Test void cTheNextSetUpUndoesIt() { State.reset = \"c\"; }
                @Test void dDoesNothing() {}
            }",
        ),
        (
            "src/test/java/cap/OldTest.java",
            "package cap;
            import org.junit.*;
            public class OldTest {
                @BeforeClass public static void load() { State.old = \"plain\"; }
                @After public void clean() { State.old = \"plain\"; }
                @Test public void tearDownUndoesIt() { State.old = \"changed\"; }
            }",
        ),
        (
            "src/test/java/cap/SetUpTest.java",
            "package cap;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class SetUpTest {
                @BeforeAll static void all() { State.ofClass = \"changed\"; }
                @BeforeEach void count() { State.count++; }
                @AfterEach void tear(TestInfo test) { State.torn = test.getDisplayName(); }
                @Test void a() {}
                @Test void b() {}
            }",
        ),
        (
            "src/main/java/cap/Late.java",
            "package cap; public class Late { public static String value; }",
        ),
        (
            "src/test/java/cap/LateTest.java",
            "package cap;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class LateTest {
                static void use() { if (Late.value == null) { Late.value = \"used\"; } }
                @Test void aUsesIt() { use(); }
                @Test void bUsesItToo() { use(); }
            }",
        ),
    ]);
    let found = |capture: &str, arguments: &str| {
        project.write("unflake.toml", &format!("[pollution]\ncapture = {capture:?}\n"));
        // In one JVM, so that the first class has loaded what the others use.
        let document = project.check(&format!("{CHECK} --jobs 1 {arguments}"));
        assert_eq!(notes(&document), Vec::<&str>::new());
        changes(&document)
    };
    let (left, reset) = (
        "BodyTest#bNobodyUndoesIt State.left: \"plain\" → \"b\"",
        "BodyTest#cTheNextSetUpUndoesIt State.reset: \"plain\" → \"c\"",
    );
    let (count, torn) = (
        "SetUpTest#a State.count: 0 → 1",
        "SetUpTest#a State.torn: \"plain\" → \"a()\"",
    );
    let (first, second) = (
        "LateTest#aUsesIt Late.value: null → \"used\"",
        "LateTest#bUsesItToo Late.value: null → \"used\"",
    );
    let whole = [
        left,
        reset,
        "BodyTest#dDoesNothing State.reset: \"c\" → \"plain\"",
        first,
        "SetUpTest State.ofClass: \"plain\" → \"changed\"",
        count,
        torn,
        "SetUpTest#b State.count: 1 → 2",
        "SetUpTest#b State.torn: \"a()\" → \"b()\"",
    ];
    assert_eq!(found("whole-test", ""), whole);
    assert_eq!(
        found("body", ""),
        [
            "BodyTest#aTearDownUndoesIt State.cleaned: \"plain\" → \"a\"",
            left,
            reset,
            first,
            "OldTest#tearDownUndoesIt State.old: \"plain\" → \"changed\"",
        ]
    );
    // The second set-up has counted once more when the two are compared.
    assert_eq!(
        found("set-ups", ""),
        [left, first, "SetUpTest#a State.count: 1 → 2", torn]
    );

    let late = |arguments: &str| {
        let mut late = found("whole-test", arguments);
        late.retain(|change| change.starts_with("LateTest"));
        late
    };
    assert_eq!(late("--eager=class"), [first]);
    // Each in a JVM of its own: nobody has used it before.
    assert_eq!(late("--eager=test"), [first, second]);
}

/// JUnit's and Surefire's parallel execution are switched off in JVMs of ours, and that is said.
#[test]
fn tests_that_the_build_runs_in_parallel_run_one_after_the_other() {
    const NOTE: &str = "the build runs tests of module `.` in parallel, so that it is not known which of them can vary; \
                        unflake varies all of them, one after the other";
    let overlap = "package par;
        import java.util.concurrent.*;
        import java.util.concurrent.atomic.AtomicInteger;
        public class Overlap {
            public static int most;
            private static final AtomicInteger running = new AtomicInteger();
            private static final CountDownLatch two = new CountDownLatch(2);
            /** Waits for another test to run at the same time; none comes if they run one after the other. */
            public static void test() throws InterruptedException {
                int now = running.incrementAndGet();
                synchronized (Overlap.class) { most = Math.max(most, now); }
                two.countDown();
                two.await(500, TimeUnit.MILLISECONDS);
                running.decrementAndGet();
            }
        }";
    let jupiter = Fixture::written(&[
        ("src/main/java/par/Overlap.java", overlap),
        (
            "src/test/java/par/ParallelTest.java",
            "package par;
            import org.junit.jupiter.api.*;
            class ParallelTest {
                @BeforeAll static void load() { Overlap.most = 0; }
                @Test void one() throws Exception { Overlap.test(); }
                @Test void two() throws Exception { Overlap.test(); }
            }",
        ),
        (
            "src/test/resources/junit-platform.properties",
            "junit.jupiter.execution.parallel.enabled = true\njunit.jupiter.execution.parallel.mode.default = concurrent\n",
        ),
    ]);
    let document = jupiter.check(CHECK);
    assert_eq!(notes(&document), [NOTE]);
    let found = changes(&document);
    assert!(
        matches!(&found[..], [one] if one.ends_with(" Overlap.most: 0 → 1")),
        "{found:?}"
    );

    let surefire = Fixture::written(&[
        ("src/main/java/par/Overlap.java", overlap),
        (
            "src/test/java/par/ParallelTest.java",
            "package par;
            import org.junit.*;
            public class ParallelTest {
                @BeforeClass public static void load() { Overlap.most = 0; }
                @Test public void one() throws Exception { Overlap.test(); }
                @Test public void two() throws Exception { Overlap.test(); }
            }",
        ),
        ("pom.xml", PARALLEL_POM),
    ]);
    let document = surefire.check(CHECK);
    assert_eq!(notes(&document), [NOTE]);
    let found = changes(&document);
    assert!(
        matches!(&found[..], [one] if one.ends_with(" Overlap.most: 0 → 1")),
        "{found:?}"
    );
}

const PARALLEL_POM: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>unflake.fixtures</groupId>
  <artifactId>parallel</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>2.22.2</version>
        <configuration>
          <parallel>methods</parallel>
          <threadCount>2</threadCount>
          <perCoreThreadCount>false</perCoreThreadCount>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
";

/// A memo of which nobody could tell whether it is filled, but for a test that looks at private fields.
#[test]
fn a_victim_outweighs_the_mark_of_a_harmless_change() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Codes.java",
            "package shop;
            import java.util.*;
            public class Codes {
                private static final Map<String, Integer> known = new HashMap<>();
                public static int of(String name) {
                    Integer code = known.get(name);
                    if (code == null) {
                        code = name.length();
                        known.put(name, code);
                    }
                    return code;
                }
            }",
        ),
        (
            "src/test/java/shop/ALookTest.java",
            "package shop;
            import java.lang.reflect.Field;
            import java.util.Map;
            import org.junit.jupiter.api.*;
            class ALookTest {
                @Test void nothingIsKnownYet() throws Exception {
                    Field field = Codes.class.getDeclaredFields()[0];
                    field.setAccessible(true);
                    Assertions.assertTrue(((Map<?, ?>) field.get(null)).isEmpty());
                }
            }",
        ),
        (
            "src/test/java/shop/CodesTest.java",
            "package shop;
            import org.junit.jupiter.api.*;
            class CodesTest {
                @Test void codeIsTheLength() { Assertions.assertEquals(3, Codes.of(\"abc\")); }
            }",
        ),
    ]);
    let severity = |document: &Value| {
        let findings = document["findings"].as_array().unwrap().iter();
        let polluter = findings
            .clone()
            .find(|finding| finding["kind"] == "polluter")
            .unwrap();
        assert_eq!(polluter["benign"]["mark"], "memo");
        let victims = polluter["victims"].as_array().unwrap();
        let victims: Vec<&str> = victims.iter().map(|one| one["test"].as_str().unwrap()).collect();
        (
            polluter["severity"].as_str().unwrap().to_owned(),
            victims.join(" "),
        )
    };
    let unproved = project.check(CHECK);
    assert_eq!(severity(&unproved), ("note".to_owned(), String::new()));
    let proved = project.check("--only pollution --seed 7");
    let victim = "shop.ALookTest#nothingIsKnownYet".to_owned();
    assert_eq!(severity(&proved), ("error".to_owned(), victim));
    assert_eq!(proved["summary"]["partial"], false);
}
