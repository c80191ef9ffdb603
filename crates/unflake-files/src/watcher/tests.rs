//! On the real file system, with the real kernel but where a limit of it is wanted.

use super::*;
use crate::FileChange;
use crate::problem::setting;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::Instant;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A watched directory. Files that are there at the start are older than that.
struct Tree {
    folder: TempDir,
    watcher: Watcher,
    problems: Vec<Problem>,
}

fn tree(files: &[(&str, &str)]) -> Tree {
    tree_with(files, LIMITS, Box::new(Inotify::new().unwrap()))
}

fn tree_with(files: &[(&str, &str)], limits: WatchLimits, kernel: Box<dyn Kernel>) -> Tree {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let given = [folder.path().to_owned()];
    let (watcher, problems) = Watcher::start_with(kernel, limits, &given, &[folder.path().join("ignored")]);
    assert!(watcher.wait(PATIENCE));
    Tree {
        folder,
        watcher,
        problems,
    }
}

impl Tree {
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, content: &str) {
        fs::write(self.path(path), content).unwrap();
    }

    fn make(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// `+ path new`, `~ path old -> new`, `- path old`.
    fn changes(&mut self) -> Vec<String> {
        let top = real(self.folder.path());
        let changes = self.watcher.changes();
        changes
            .into_iter()
            .map(|found| {
                let path = found.path.strip_prefix(&top).unwrap().display().to_string();
                let old = found.old.unwrap_or_default();
                let new = found.new.unwrap_or_default();
                match found.change {
                    FileChange::Created => format!("+ {path} {new}"),
                    FileChange::Changed => format!("~ {path} {old} -> {new}"),
                    FileChange::Deleted => format!("- {path} {old}"),
                }
            })
            .collect()
    }

    #[track_caller]
    fn expect(&mut self, expected: &[&str]) {
        assert_eq!(self.changes(), expected);
        assert_eq!(self.changes(), [""; 0], "asked again");
    }
}

#[test]
fn created_changed_and_deleted_files_by_path() {
    let mut tree = tree(&[
        ("b/changed", "one\ntwo\n"),
        ("b/deleted", "x"),
        ("b/untouched", ""),
    ]);
    tree.expect(&[]);
    tree.write("b/changed", "one\nthree\n");
    tree.write("a", "");
    fs::remove_file(tree.path("b/deleted")).unwrap();
    tree.expect(&[
        "+ a 0 bytes",
        "~ b/changed 8 bytes, line 2: two -> 10 bytes, line 2: three",
        "- b/deleted 1 byte, line 1: x",
    ]);
}

#[test]
fn what_was_put_back_is_no_difference() {
    let mut tree = tree(&[
        ("same", "bytes"),
        ("back", "old"),
        ("moved", "m"),
        ("d/in", "i"),
        ("gone/f", "g"),
    ]);
    tree.write("same", "bytes");
    tree.write("back", "new");
    tree.write("back", "old");
    tree.rename("moved", "elsewhere");
    tree.rename("elsewhere", "moved");
    tree.write("temporary", "t");
    fs::remove_file(tree.path("temporary")).unwrap();
    tree.rename("d", "e");
    tree.rename("e", "d");
    tree.make("made/deep");
    fs::remove_dir_all(tree.path("made")).unwrap();
    fs::remove_dir_all(tree.path("gone")).unwrap();
    tree.make("gone");
    tree.write("gone/f", "g");
    tree.expect(&[]);
    // Everything is still watched.
    tree.write("d/in", "I");
    tree.write("gone/f", "G");
    tree.expect(&[
        "~ d/in 1 byte, line 1: i -> 1 byte, line 1: I",
        "~ gone/f 1 byte, line 1: g -> 1 byte, line 1: G",
    ]);
}

#[test]
fn same_size_and_same_time_but_other_bytes() {
    let mut tree = tree(&[("f", "aaaa")]);
    let time = fs::metadata(tree.path("f")).unwrap().modified().unwrap();
    tree.write("f", "bbbb");
    fs::File::options()
        .write(true)
        .open(tree.path("f"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    tree.expect(&["~ f 4 bytes, line 1: aaaa -> 4 bytes, line 1: bbbb"]);
    tree.write("f", "cccc");
    tree.expect(&["~ f 4 bytes, line 1: bbbb -> 4 bytes, line 1: cccc"]);
}

#[test]
fn a_new_directory_is_scanned_and_then_watched() {
    let mut tree = tree(&[]);
    tree.make("a/b/c");
    tree.write("a/b/c/f", "1");
    tree.make("empty");
    tree.expect(&["+ a/b/c/f 1 byte, line 1: 1", "+ empty directory"]);
    tree.write("a/b/c/f", "2");
    tree.write("a/b/c/g", "3");
    tree.expect(&[
        "~ a/b/c/f 1 byte, line 1: 1 -> 1 byte, line 1: 2",
        "+ a/b/c/g 1 byte, line 1: 3",
    ]);
    fs::remove_dir_all(tree.path("a")).unwrap();
    fs::remove_dir(tree.path("empty")).unwrap();
    tree.expect(&[
        "- a/b/c/f 1 byte, line 1: 2",
        "- a/b/c/g 1 byte, line 1: 3",
        "- empty directory",
    ]);
}

#[test]
fn renamed_directories_keep_being_watched_under_their_new_names() {
    let mut tree = tree(&[("a/s/f", "a"), ("z/s/f", "z")]);
    tree.rename("z", "b");
    tree.expect(&["+ b/s/f 1 byte, line 1: z", "- z/s/f 1 byte, line 1: z"]);
    tree.write("b/s/f", "B");
    tree.expect(&["~ b/s/f 1 byte, line 1: z -> 1 byte, line 1: B"]);
    // Swapped.
    tree.rename("a", "t");
    tree.rename("b", "a");
    tree.rename("t", "b");
    tree.expect(&[
        "~ a/s/f 1 byte, line 1: a -> 1 byte, line 1: B",
        "~ b/s/f 1 byte, line 1: B -> 1 byte, line 1: a",
    ]);
    tree.write("a/s/f", "1");
    tree.write("b/s/f", "2");
    assert_eq!(tree.changes().len(), 2);
    // Moved away, where nothing is watched.
    let away = tempfile::tempdir().unwrap();
    fs::rename(tree.path("a"), away.path().join("a")).unwrap();
    tree.expect(&["- a/s/f 1 byte, line 1: 1"]);
    fs::write(away.path().join("a/s/f"), "unseen").unwrap();
    fs::write(away.path().join("a/s/g"), "unseen").unwrap();
    tree.expect(&[]);
}

#[test]
fn links_are_compared_by_target_and_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let mut tree = tree(&[("f", "1")]);
    symlink(outside.path(), tree.path("out")).unwrap();
    symlink("f", tree.path("l")).unwrap();
    symlink(".", tree.path("loop")).unwrap();
    let out = format!("+ out link to {}", outside.path().display());
    tree.expect(&["+ l link to f", "+ loop link to .", &out]);
    fs::write(outside.path().join("x"), "").unwrap();
    fs::remove_file(tree.path("l")).unwrap();
    symlink("g", tree.path("l")).unwrap();
    tree.expect(&["~ l link to f -> link to g"]);
}

#[test]
fn pipes_and_sockets_are_named_and_never_opened() {
    let mut tree = tree(&[("f", "1")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        tree.path("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(tree.path("socket")).unwrap();
    tree.expect(&["+ pipe named pipe", "+ socket socket"]);
}

#[test]
fn a_directory_in_place_of_a_file_and_back() {
    let mut tree = tree(&[("f", "1")]);
    fs::remove_file(tree.path("f")).unwrap();
    tree.make("f");
    tree.write("f/in", "2");
    tree.expect(&["~ f 1 byte, line 1: 1 -> directory", "+ f/in 1 byte, line 1: 2"]);
    fs::remove_dir_all(tree.path("f")).unwrap();
    tree.write("f", "1");
    tree.expect(&["~ f directory -> 1 byte, line 1: 1", "- f/in 1 byte, line 1: 2"]);
}

#[test]
fn permissions_and_times_are_no_content() {
    let mut tree = tree(&[("f", "1")]);
    let file = fs::File::options().write(true).open(tree.path("f")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let mut permissions = file.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    file.set_permissions(permissions).unwrap();
    drop(file);
    tree.expect(&[]);
}

#[test]
fn ignored_ones_are_silent_also_when_they_appear() {
    let mut tree = tree(&[("ignored/f", "1")]);
    tree.write("ignored/f", "2");
    tree.expect(&[]);
    fs::remove_dir_all(tree.path("ignored")).unwrap();
    tree.make("ignored/deep");
    tree.write("ignored/deep/f", "2");
    tree.expect(&[]);
}

#[test]
fn a_directory_asked_for_below_an_ignored_one_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let top = real(folder.path());
    fs::create_dir_all(top.join("target/tmp")).unwrap();
    let given = [top.clone(), top.join("target/tmp")];
    let (mut watcher, _) = Watcher::start(&given, &[top.join("target")]);
    fs::write(top.join("target/report"), "").unwrap();
    fs::write(top.join("target/tmp/f"), "").unwrap();
    let changes = watcher.changes();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].path, top.join("target/tmp/f"));
}

#[test]
fn roots_that_come_go_and_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let root = real(folder.path()).join("home");
    let (mut watcher, problems) = Watcher::start(std::slice::from_ref(&root), &[]);
    assert_eq!(problems, []);
    assert_eq!(watcher.changes(), []);
    let mut seen = || {
        let changes = watcher.changes().into_iter();
        changes
            .map(|found| (found.path, found.change))
            .collect::<Vec<_>>()
    };
    fs::create_dir(&root).unwrap();
    assert_eq!(seen(), [(root.clone(), FileChange::Created)]);
    fs::write(root.join("f"), "1").unwrap();
    assert_eq!(seen(), [(root.join("f"), FileChange::Created)]);
    fs::rename(&root, root.with_file_name("old")).unwrap();
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "2").unwrap();
    assert_eq!(seen(), [(root.join("f"), FileChange::Changed)]);
    fs::write(root.with_file_name("old").join("f"), "unseen").unwrap();
    assert_eq!(seen(), []);
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(seen(), [(root.join("f"), FileChange::Deleted)]);
    assert_eq!(seen(), []);
}

#[test]
fn a_file_held_open_shows_at_each_question() {
    use std::io::Write;
    let mut tree = tree(&[]);
    let mut log = fs::File::create(tree.path("log")).unwrap();
    log.write_all(b"a\n").unwrap();
    tree.expect(&["+ log 2 bytes, line 1: a"]);
    log.write_all(b"b\n").unwrap();
    tree.expect(&["~ log 2 bytes -> 4 bytes, line 2: b"]);
}

#[test]
fn large_files_go_by_size_and_time() {
    let mut tree = tree(&[]);
    let file = fs::File::create(tree.path("large")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    tree.expect(&["+ large 67108865 bytes"]);
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    file.set_len((64 << 20) + 2).unwrap();
    tree.expect(&["~ large 67108865 bytes -> 67108866 bytes"]);
}

#[test]
fn long_and_binary_content_is_not_shown() {
    let mut tree = tree(&[]);
    tree.write("long", &"x".repeat(100));
    fs::write(tree.path("binary"), b"\0\xff").unwrap();
    tree.write("large", &"y\n".repeat(2000));
    let long = format!("+ long 100 bytes, line 1: {}…", "x".repeat(80));
    tree.expect(&["+ binary 2 bytes", "+ large 4000 bytes", &long]);
}

#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let mut tree = tree(&[]);
    let name = std::ffi::OsStr::from_bytes(b"\xff\n");
    fs::write(real(tree.folder.path()).join(name), "").unwrap();
    let changes = tree.watcher.changes();
    assert_eq!(changes[0].path.file_name(), Some(name));
}

#[test]
fn a_change_before_the_hash_counts_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, "1").unwrap();
    let Look::Is(Entry::File(mut file)) = look::listed(&path) else {
        panic!("it is a file");
    };
    fs::write(&path, "2").unwrap();
    // The next tick of the file system's clock.
    while matches!(look::listed(&path), Look::Is(Entry::File(now)) if now.stamp == file.stamp) {
        fs::write(&path, "2").unwrap();
    }
    let hasher = Hasher::start(vec![(path.clone(), file.stamp)]);
    assert!(hasher.wait(PATIENCE));
    assert!(
        hasher.result(0).is_none(),
        "what is there now is not what was listed"
    );
    file.content = Content::Pending(0);
    let old = Entry::File(file);
    let Look::Is(new) = Looker::new().look(&path, Some(&old)) else {
        panic!("it has changed");
    };
    let found = difference(path, Some(&old), Some(&new), &hasher).unwrap();
    assert_eq!(found.change, FileChange::Changed);
    assert_eq!(found.old.as_deref(), Some("1 byte"));
}

/// The kernel with fewer watches, or one that loses notices.
struct Poor {
    kernel: Inotify,
    watches: usize,
    loses: bool,
}

impl Kernel for Poor {
    fn watch(&mut self, directory: &Path) -> Result<WatchId, Errno> {
        self.watches = self.watches.checked_sub(1).ok_or(Errno::NOSPC)?;
        self.kernel.watch(directory)
    }

    fn unwatch(&mut self, watch: WatchId) {
        self.kernel.unwatch(watch);
    }

    fn notices(&mut self) -> Vec<Notice> {
        let notices = self.kernel.notices();
        if self.loses && !notices.is_empty() {
            vec![Notice::Overflow]
        } else {
            notices
        }
    }
}

fn poor(watches: usize, loses: bool) -> Box<dyn Kernel> {
    Box::new(Poor {
        kernel: Inotify::new().unwrap(),
        watches,
        loses,
    })
}

/// Everything at once, for kernels that do not help.
fn everything(mut tree: Tree) {
    tree.expect(&[]);
    tree.write("d/changed", "2");
    tree.write("d/same", "bytes");
    tree.write("d/e/new", "n");
    fs::remove_file(tree.path("d/deleted")).unwrap();
    fs::remove_dir_all(tree.path("r")).unwrap();
    tree.make("r");
    tree.write("r/f", "R");
    tree.make("m/n");
    tree.write("m/n/f", "m");
    tree.rename("old", "renamed");
    tree.expect(&[
        "~ d/changed 1 byte, line 1: 1 -> 1 byte, line 1: 2",
        "- d/deleted 1 byte, line 1: x",
        "+ d/e/new 1 byte, line 1: n",
        "+ m/n/f 1 byte, line 1: m",
        "- old/f 1 byte, line 1: o",
        "~ r/f 1 byte, line 1: r -> 1 byte, line 1: R",
        "+ renamed/f 1 byte, line 1: o",
    ]);
    tree.write("m/n/f", "M");
    tree.write("r/f", "r");
    tree.write("renamed/f", "O");
    assert_eq!(tree.changes().len(), 3);
    tree.expect(&[]);
}

const EVERYTHING: &[(&str, &str)] = &[
    ("d/changed", "1"),
    ("d/same", "bytes"),
    ("d/deleted", "x"),
    ("d/e/f", "e"),
    ("r/f", "r"),
    ("old/f", "o"),
];

#[test]
fn an_overflow_is_answered_by_a_scan() {
    everything(tree_with(EVERYTHING, LIMITS, poor(usize::MAX, true)));
}

#[test]
fn directories_beyond_the_watch_limit_are_scanned() {
    for watches in 0..6 {
        let tree = tree_with(EVERYTHING, LIMITS, poor(watches, false));
        assert_eq!(
            tree.problems.len(),
            usize::from(watches < 5),
            "{:?}",
            tree.problems
        );
        if let Some(problem) = tree.problems.first() {
            assert!(problem.message.contains("watches is reached"), "{problem}");
            assert!(problem.hint.contains("max_user_watches"), "{}", problem.hint);
        }
        everything(tree);
    }
}

#[test]
fn scanning_is_bounded_and_what_is_left_out_is_said() {
    let limits = WatchLimits { scanned: 3, ..LIMITS };
    let mut tree = tree_with(&[("a/1", ""), ("a/2", ""), ("a/3", "")], limits, poor(0, false));
    assert_eq!(tree.problems.len(), 2, "{:?}", tree.problems);
    assert!(
        tree.problems[1].message.contains("more than 3 files"),
        "{}",
        tree.problems[1]
    );
    tree.write("a/1", "unseen");
    tree.write("f", "seen");
    tree.expect(&["+ f 4 bytes, line 1: seen"]);
}

#[test]
fn too_many_files_are_left_out_and_said() {
    let limits = WatchLimits { entries: 4, ..LIMITS };
    let mut tree = tree_with(
        &[("a/1", ""), ("b/1", ""), ("b/2", ""), ("b/3", "")],
        limits,
        Box::new(Inotify::new().unwrap()),
    );
    assert_eq!(tree.problems.len(), 1, "{:?}", tree.problems);
    tree.write("b/1", "unseen");
    tree.write("a/1", "seen");
    tree.expect(&["~ a/1 0 bytes -> 4 bytes, line 1: seen"]);
    tree.make("c/d");
    tree.write("c/d/f", "unseen");
    tree.expect(&["+ c directory"]);
}

#[test]
fn a_real_overflow_of_the_queue() {
    let Ok(most) = setting("max_queued_events").parse::<usize>() else {
        return;
    };
    if most > 1 << 17 {
        return;
    }
    let mut tree = tree(&[("d/f", "1")]);
    tree.make("e");
    for i in 0..most / 2 {
        // Two names in turn, for the kernel merges equal neighbours.
        let name = tree.path(if i % 2 == 0 { "d/x" } else { "d/y" });
        fs::write(&name, "").unwrap();
        fs::remove_file(&name).unwrap();
    }
    tree.write("d/f", "2");
    tree.write("e/g", "3");
    assert!(matches!(
        tree.watcher.kernel.notices().last(),
        Some(Notice::Overflow)
    ));
    tree.watcher.kernel = Box::new(Injected {
        kernel: std::mem::replace(&mut tree.watcher.kernel, Box::new(NoKernel)),
        first: vec![Notice::Overflow],
    });
    tree.expect(&[
        "~ d/f 1 byte, line 1: 1 -> 1 byte, line 1: 2",
        "+ e/g 1 byte, line 1: 3",
    ]);
    tree.write("e/g", "4");
    tree.expect(&["~ e/g 1 byte, line 1: 3 -> 1 byte, line 1: 4"]);
}

/// Gives notices back that were read to look at them.
struct Injected {
    kernel: Box<dyn Kernel>,
    first: Vec<Notice>,
}

impl Kernel for Injected {
    fn watch(&mut self, directory: &Path) -> Result<WatchId, Errno> {
        self.kernel.watch(directory)
    }

    fn unwatch(&mut self, watch: WatchId) {
        self.kernel.unwatch(watch);
    }

    fn notices(&mut self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.first);
        notices.extend(self.kernel.notices());
        notices
    }
}

#[test]
fn an_unreadable_directory_is_said_and_the_rest_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let closed = real(folder.path()).join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let (mut watcher, problems) = Watcher::start(&[folder.path().to_owned()], &[]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].directory, closed);
    fs::write(folder.path().join("f"), "").unwrap();
    assert_eq!(watcher.changes().len(), 1);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

/// By hand: `cargo test --release -p unflake-files -- --ignored --nocapture`.
#[test]
#[ignore = "prints times"]
fn what_it_costs() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..10_000 {
        let directory = folder.path().join(format!("d{}", i / 100));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("f{i}")), "content ".repeat(i % 1000)).unwrap();
    }
    std::thread::sleep(Duration::from_millis(50));
    let before = Instant::now();
    let (mut watcher, problems) = Watcher::start(&[folder.path().to_owned()], &[]);
    println!("start on 10,000 files: {:?}; {problems:?}", before.elapsed());
    watcher.wait(PATIENCE);
    println!("hashed: {:?}", before.elapsed());
    let before = Instant::now();
    for _ in 0..1000 {
        assert_eq!(watcher.changes(), []);
    }
    println!("nothing changed: {:?}", before.elapsed() / 1000);
    let before = Instant::now();
    for i in 0..1000 {
        fs::write(folder.path().join("d7/f700"), i.to_string()).unwrap();
        assert_eq!(watcher.changes().len(), 1);
    }
    println!("one file written and seen: {:?}", before.elapsed() / 1000);
    watcher.kernel = Box::new(Injected {
        kernel: Box::new(NoKernel),
        first: vec![Notice::Overflow],
    });
    let before = Instant::now();
    assert_eq!(watcher.changes(), []);
    println!("after an overflow: {:?}", before.elapsed());
}
