//! What the walker reads of collections, on every JDK: their insides differ from one to the next.

use crate::boundaries::{hear, jars};
use crate::jvm::{Folder, Jdk, java, jdks};
use crate::program::configuration;
use std::collections::BTreeSet;
use unflake_heap::abstraction::{Read, rule_of};
use unflake_protocol::{
    Author, Configuration, Gap, Points, Role, Roots, StateChange, StateKind, ToProgram, Watch,
};

/// Runs the classes that it is given. The agent is awake before they are loaded.
const MAIN: &str = r#"
public class Main {
    public static void main(String[] names) throws Exception {
        org.junit.runner.JUnitCore core = new org.junit.runner.JUnitCore();
        for (String name : names) {
            org.junit.runner.Result result = core.run(Class.forName(name));
            if (!result.wasSuccessful()) { throw new AssertionError(result.getFailures()); }
        }
    }
}
"#;

/// What is told of these tests. `source` is the class with the first name.
fn run(jdk: &Jdk, folder: &Folder, source: &str, watch: Configuration, names: &[&str]) -> Vec<String> {
    folder.compile("Main", MAIN, &jars());
    folder.compile(names[0], source, &jars());
    let mut jdk = jdk.clone();
    // Nobody else's files are watched.
    jdk.options
        .push(format!("-Djava.io.tmpdir={}", folder.path.display()));
    let heard = hear(&jdk, folder, watch, "Main", names);
    told(&heard)
}

/// Watches the classes without a package.
fn watching(eager: &[&str]) -> Configuration {
    let mut configuration = configuration(Role::Build);
    configuration.learn = false;
    configuration.watch = Some(Watch {
        roots: Roots {
            packages: vec![String::new()],
            ..Roots::default()
        },
        points: Points::WholeTest,
        eager: eager.iter().map(|class| (*class).to_owned()).collect(),
        directories: Vec::new(),
        ignored: Vec::new(),
        initial: false,
        around: false,
        most_objects: 20_000,
        abstractions: Vec::new(),
    });
    configuration
}

/// `test path: old → new`, and what was said beside changes.
fn told(heard: &[ToProgram]) -> Vec<String> {
    let change = |who: &str, change: &StateChange| {
        let text = |value: &Option<unflake_protocol::Shown>| {
            value.as_ref().map_or(String::new(), |v| v.text.clone())
        };
        format!(
            "{who} {}: {} → {}",
            change.path,
            text(&change.old),
            text(&change.new)
        )
    };
    let mut all: Vec<String> = Vec::new();
    for message in heard {
        match message {
            ToProgram::Changed { by, changes } => {
                let who = match by {
                    Author::Test(test) => test.method.as_str(),
                    Author::Class(class) => class.as_str(),
                };
                // Others use the temporary directory too.
                let heap = changes.iter().filter(|one| one.kind == StateKind::Heap);
                all.extend(heap.map(|one| change(who, one)));
            }
            ToProgram::NotWatched { what, reason, gap } => all.push(format!("{gap:?} {what}: {reason}")),
            ToProgram::NotLoaded { class, problem, .. } => all.push(format!("{problem:?} {class}")),
            ToProgram::NotCompared { reason, .. } | ToProgram::Bug { message: reason } => {
                all.push(format!("BUG {reason}"));
            }
            _ => {}
        }
    }
    all.sort();
    all
}

const COLLECTIONS: &str = r#"
import java.util.*;
import java.util.concurrent.*;
import org.junit.*;
public class Collected {
    enum Colour { RED }
    static final Object[] held = {new int[] {1}};
    static final Map<Object, Object> weak = new WeakHashMap<>();
    static final Set<Object> weakSet = Collections.newSetFromMap(new WeakHashMap<Object, Boolean>());
    static final LinkedTransferQueue<Object> transfer = new LinkedTransferQueue<>();
    static final ConcurrentLinkedDeque<Object> deque = new ConcurrentLinkedDeque<>();
    static final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    static final DelayQueue<Delayed> delayed = new DelayQueue<>();
    static final TreeMap<String, Integer> tree = new TreeMap<>();
    static final StringBuffer buffer = new StringBuffer("a");
    static final StringBuilder builder = new StringBuilder("ä\u20ac");
    static final CopyOnWriteArraySet<Object> copied = new CopyOnWriteArraySet<>();
    static final EnumMap<Colour, String> colours = new EnumMap<>(Colour.class);
    static final javax.swing.event.EventListenerList listeners = new javax.swing.event.EventListenerList();
    static class Later implements Delayed {
        public long getDelay(TimeUnit unit) { return 1; }
        public int compareTo(Delayed other) { return 0; }
    }
    @Test public void addsAClassWeakly() { weak.put(Colour.class, "class"); }
    @Test public void addsATextWeakly() { weak.put("text", 1); }
    @Test public void addsNullWeakly() { weak.put(null, 2); }
    @Test public void addsWhatIsHeldWeakly() { weakSet.add(held[0]); }
    @Test public void addsWhatIsOnlyHere() { weak.put(new int[] {7}, "gone"); System.gc(); }
    @Test public void transfers() { transfer.add("x"); transfer.poll(); transfer.add("y"); transfer.add("z"); }
    @Test public void takesItsOwn() throws Exception { transfer.offer("w"); transfer.remove("w"); }
    @Test public void addsInFront() { deque.addFirst("first"); }
    @Test public void queues() { queue.add("q"); }
    @Test public void delays() { delayed.add(new Later()); }
    @Test public void plants() { for (int i = 0; i < 9; i++) { tree.put("k" + i, i); } }
    @Test public void appends() { buffer.append("b"); }
    @Test public void builds() { builder.append("\u20ac"); }
    @Test public void copies() { copied.add("c"); }
    @Test public void paints() { colours.put(Colour.RED, "red"); }
    @Test public void listens() {
        listeners.add(java.util.EventListener.class, new java.util.EventListener() {});
    }
    public static class Held {
        /** Starts a thread that never gives a lock back. */
        @BeforeClass public static void hold() throws Exception {
            final CountDownLatch isHeld = new CountDownLatch(1);
            Thread holder = new Thread() {
                @Override public void run() {
                    synchronized (buffer) {
                        isHeld.countDown();
                        while (true) { try { sleep(10000); } catch (InterruptedException e) { return; } }
                    }
                }
            };
            holder.setDaemon(true);
            holder.start();
            isHeld.await();
        }
        @Test public void changes() { queue.add("r"); }
    }
}
"#;

#[test]
fn collections_are_read_on_every_jdk() {
    let folder = Folder::new();
    for jdk in jdks() {
        let told = run(
            &jdk,
            &folder,
            COLLECTIONS,
            watching(&[]),
            &["Collected", "Collected$Held"],
        );
        let expected = [
            "addsAClassWeakly Collected.weak[Collected.Colour.class]:  → \"class\"",
            "addsATextWeakly Collected.weak[\"text\"]:  → 1",
            "addsInFront Collected.deque[0]:  → \"first\"",
            "addsNullWeakly Collected.weak[null]:  → 2",
            "addsWhatIsHeldWeakly Collected.weakSet[int[]]:  → true",
            "appends Collected.buffer: \"a\" → \"ab\"",
            "builds Collected.builder: \"ä€\" → \"ä€€\"",
            "changes Collected.queue[1]:  → \"r\"",
            "copies Collected.copied[0]:  → \"c\"",
            "delays Collected.delayed.q[Collected.Later]:  → present",
            "listens Collected.listeners.listenerList[0]:  → EventListener.class",
            "paints Collected.colours[0]: null → \"red\"",
            "plants Collected.tree[\"k8\"]:  → 8",
            "queues Collected.queue[0]:  → \"q\"",
            "transfers Collected.transfer[0]:  → \"y\"",
        ];
        assert_eq!(told, expected, "on {}", jdk.feature);
    }
}

/// Prints the JDK's own collections that keep something in fields which are not written when they are serialised.
const LISTING: &str = r#"
import java.lang.reflect.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
public class Listing {
    public static void main(String[] a) throws Exception {
        Path root;
        if (System.getProperty("java.version").startsWith("1.")) {
            Path rt = Paths.get(System.getProperty("java.home"), "lib", "rt.jar");
            root = FileSystems.newFileSystem(rt, (ClassLoader) null).getPath("/");
        } else {
            root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        }
        List<Path> todo = new ArrayList<>(Collections.singletonList(root.resolve("java/util")));
        while (!todo.isEmpty()) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(todo.remove(0))) {
                for (Path path : all) {
                    if (Files.isDirectory(path)) { todo.add(path); }
                    else if (path.toString().endsWith(".class")) { list(root.relativize(path).toString()); }
                }
            }
        }
    }
    static void list(String path) throws Exception {
        String name = path.substring(0, path.length() - 6).replace('/', '.');
        Class<?> type = Class.forName(name, false, null);
        if (Modifier.isAbstract(type.getModifiers())
            || !Collection.class.isAssignableFrom(type) && !Map.class.isAssignableFrom(type)) { return; }
        for (Field field : type.getDeclaredFields()) {
            Class<?> of = field.getType();
            boolean isView = Collection.class.isAssignableFrom(of) || Map.class.isAssignableFrom(of)
                || of.getName().startsWith("java.util.concurrent.locks.");
            int flags = field.getModifiers();
            if (Modifier.isTransient(flags) && !Modifier.isStatic(flags) && !of.isPrimitive() && !isView) {
                System.out.println(name + " " + field.getName());
            }
        }
    }
}
"#;

/// Without a rule fields that are transient are not read, since most are caches.
#[test]
fn every_collection_with_transient_insides_has_a_rule() {
    let folder = Folder::new();
    folder.compile("Listing", LISTING, &[]);
    for jdk in jdks() {
        let output = java(&jdk.home.join("bin/java"))
            .arg("-cp")
            .arg(&folder.path)
            .arg("Listing")
            .output()
            .unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        assert!(listed.contains("java.util.ArrayList elementData"), "{listed}");
        let without: BTreeSet<&str> = listed
            .lines()
            .filter(|line| {
                let class = line.split(' ').next().unwrap_or_default();
                rule_of(class).is_none_or(|rule| rule.read == Read::All)
            })
            .collect();
        assert_eq!(without, BTreeSet::new(), "on {}", jdk.feature);
    }
}

/// A JDK of the future: its queue has other fields.
const OTHER_QUEUE: &str = r#"
package java.util.concurrent;
public class ArrayBlockingQueue<E> extends java.util.AbstractQueue<E> {
    private transient Object[] cells = new Object[9];
    private transient int used;
    public ArrayBlockingQueue(int size) {}
    public boolean offer(E one) { cells[used++] = one; return true; }
    public E poll() { return null; }
    public E peek() { return null; }
    public int size() { return used; }
    public java.util.Iterator<E> iterator() { return null; }
}
"#;

const OTHER_QUEUE_TEST: &str = r#"
import org.junit.*;
public class Unknown {
    static final java.util.Queue<Object> queue = new java.util.concurrent.ArrayBlockingQueue<Object>(9);
    static int number;
    @Test public void first() { queue.add("unseen"); }
    @Test public void second() { number = 1; }
}
"#;

#[test]
fn a_collection_that_a_jdk_keeps_otherwise_is_said_once() {
    let newer = |jdk: &Jdk| jdk.feature >= 9;
    for jdk in jdks().into_iter().filter(newer) {
        let folder = Folder::new();
        let source = folder
            .path
            .join("patch-src/java/util/concurrent/ArrayBlockingQueue.java");
        std::fs::create_dir_all(source.parent().unwrap()).unwrap();
        std::fs::write(&source, OTHER_QUEUE).unwrap();
        let patch = folder.path.join("patch");
        let compiled = java(&jdk.home.join("bin/javac"))
            .arg("--patch-module")
            .arg(format!("java.base={}", folder.path.join("patch-src").display()))
            .arg("-d")
            .arg(&patch)
            .arg(&source)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{compiled:?}");
        let option = format!("--patch-module=java.base={}", patch.display());
        let patched = Jdk {
            options: vec![option],
            ..jdk
        };
        let told = run(&patched, &folder, OTHER_QUEUE_TEST, watching(&[]), &["Unknown"]);
        assert_eq!(
            told,
            [
                format!(
                    "{:?} the contents of java.util.concurrent.ArrayBlockingQueue: this JDK keeps them in a way that \
                     unflake does not know",
                    Gap::Lost
                ),
                "second Unknown.number: 0 → 1".to_owned()
            ],
            "on {}",
            patched.feature
        );
    }
}

const LOADED: &str = r#"
import org.junit.*;
@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class Loading {
    static final Object lock = new Object();
    public static class Blocks {
        static int number;
        static { synchronized (lock) { try { lock.wait(); } catch (InterruptedException e) { number = 9; } } }
    }
    public static class Throws { static int number; static { if (number == 0) { throw new RuntimeException(); } } }
    public static class Fine { static int number; }
    @Test public void first() {
        Fine.number = 1;
        synchronized (lock) { lock.notify(); }
    }
    @Test public void second() { Blocks.number = 2; }
}
"#;

#[test]
fn a_class_that_does_not_end_its_initialiser_is_given_up_and_the_others_are_loaded() {
    let folder = Folder::new();
    let classes = ["Loading$Blocks", "Loading$Throws", "Loading$None", "Loading$Fine"];
    for jdk in jdks() {
        let told = run(&jdk, &folder, LOADED, watching(&classes), &["Loading"]);
        let expected = [
            "Blocks Loading$Blocks",
            "Throws Loading$None",
            "Throws Loading$Throws",
            "first Loading.Fine.number: 0 → 1",
            "second Loading.Blocks.number: 0 → 2",
        ];
        assert_eq!(told, expected, "on {}", jdk.feature);
    }
}
