//! The launcher of test JVMs, from outside: what a program sees that it runs, and what is left of it.
//!
//! The programs are shell scripts where the kernel is asked, and real JVMs where Java is.

use crate::processes::{alive, ends_within, jdks, wait_for};
use std::fs::{self, File};
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Somebody who is not root.
const NOBODY: u32 = 65534;

/// Who runs the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// Whoever runs the tests.
    Us,
    Nobody,
}

/// How the program is kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    Namespaces,
    /// As in a container that hides a part of `/proc`.
    SharedProcesses,
    Not,
}

const ALL: [Apart; 3] = [Apart::Namespaces, Apart::SharedProcesses, Apart::Not];

/// A project, a home, and a folder for the launcher. A script is what the program does.
struct Room {
    root: tempfile::TempDir,
    who: Who,
    apart: Apart,
}

/// What a script printed, and how it ended.
struct Done {
    said: String,
    status: ExitStatus,
}

impl Room {
    fn new(who: Who, apart: Apart) -> Room {
        let root = tempfile::Builder::new().prefix("room-").tempdir().unwrap();
        for folder in ["my project, with: signs", "home", "worker/layers"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Room { root, who, apart }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(below)
    }

    fn project(&self) -> PathBuf {
        self.path("my project, with: signs")
    }

    /// Everything belongs to who runs it.
    fn hand_over(&self) {
        if self.who == Who::Nobody {
            fn give(path: &Path) {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
                for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                    give(&entry.path());
                }
            }
            give(self.root.path());
            fs::set_permissions(self.root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn start(&self, program: &[&str]) -> Child {
        self.hand_over();
        let mut command = match self.who {
            Who::Us => unflake_runner::command(launcher(), Path::new("/")),
            Who::Nobody => {
                let mut command = unflake_runner::command("setpriv", Path::new("/"));
                let id = NOBODY.to_string();
                command
                    .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
                    .arg(launcher());
                command
            }
        };
        command.arg("__launcher");
        let mut add = |word: &str, path: PathBuf| {
            command.arg(word).arg(path);
        };
        if self.apart != Apart::Not {
            add("layers", self.path("worker/layers"));
            add("overlay", self.project());
            add("overlay", self.path("home").canonicalize().unwrap());
            add("try-overlay", "/tmp".into());
            add("keep", self.path("worker"));
            let processes = if self.apart == Apart::Namespaces {
                "own"
            } else {
                "shared"
            };
            add("processes", processes.into());
        }
        add("directory", self.project());
        // As for test JVMs: one file for both.
        let output = File::create(self.path("worker/output")).unwrap();
        command
            .arg("run")
            .args(program)
            .env("ROOM", self.path(""))
            .stdin(Stdio::piped())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.path("worker/output")).unwrap()
    }

    /// The program goes on as long as its launcher's standard input is open.
    fn wait(&self, mut child: Child) -> Done {
        let lifeline = child.stdin.take();
        let status = child.wait().unwrap();
        drop(lifeline);
        Done {
            said: self.said(),
            status,
        }
    }

    fn run(&self, program: &[&str]) -> Done {
        self.wait(self.start(program))
    }

    /// A script of the shell.
    fn start_script(&self, script: &str) -> Child {
        let file = self.path("worker/script");
        fs::write(&file, script).unwrap();
        self.start(&["sh", file.to_str().unwrap()])
    }

    fn script(&self, script: &str) -> Done {
        self.wait(self.start_script(script))
    }

    /// Something that goes on for a minute, and can be found by [`Room::mark`].
    fn sleep(&self) -> String {
        format!("sh -c 'sleep 60; : {}'", self.mark().display())
    }

    fn mark(&self) -> PathBuf {
        self.path("worker/mark")
    }

    fn compile(&self, jdk: &Path) {
        fs::write(self.project().join("Port.java"), PORT).unwrap();
        let javac = unflake_runner::command(jdk.join("bin/javac"), &self.project())
            .arg("Port.java")
            .status();
        assert!(javac.unwrap().success());
    }
}

/// A copy that nobody can run, too, wherever it was built.
fn launcher() -> PathBuf {
    static COPY: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = COPY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_unflake"), folder.path().join("unflake")).unwrap();
        folder
    });
    folder.path().join("unflake")
}

/// Each way in which this machine lets `who` be; only root can be somebody else.
fn everybody() -> Vec<Who> {
    if rustix::process::geteuid().is_root() {
        vec![Who::Us, Who::Nobody]
    } else {
        vec![Who::Us]
    }
}

impl Who {
    /// Whether the directories above let them in: a home of root's does not let in everybody.
    fn reaches(self, path: &Path) -> bool {
        let is_open = |directory: &Path| fs::metadata(directory).unwrap().permissions().mode() & 0o001 != 0;
        self == Who::Us || path.canonicalize().unwrap().ancestors().all(is_open)
    }
}

#[test]
fn what_a_program_writes_is_its_own_and_gone_afterwards() {
    for who in everybody() {
        let room = Room::new(who, Apart::Namespaces);
        let (old, gone) = (room.project().join("old"), room.project().join("gone"));
        fs::write(&old, "old").unwrap();
        fs::write(&gone, "there").unwrap();
        let script = "echo new > old && rm gone && touch more $ROOM/home/.rc /tmp/launcher-$$ $ROOM/worker/kept && \
                      cat old && ls && test -e $ROOM/home/.rc";
        let done = room.script(script);
        assert_eq!(done.said, "new\nmore\nold\n", "{who:?}");
        assert!(done.status.success());
        assert_eq!(fs::read_to_string(old).unwrap(), "old");
        assert!(gone.exists() && !room.project().join("more").exists());
        assert!(!room.path("home/.rc").exists());
        let in_tmp = fs::read_dir("/tmp").unwrap().flatten();
        let mut in_tmp = in_tmp.map(|entry| entry.file_name().to_string_lossy().into_owned());
        assert!(!in_tmp.any(|name| name.starts_with("launcher-")));
        // But for what is ours.
        assert!(room.path("worker/kept").exists());
    }
}

#[test]
fn a_program_stays_who_it_is_and_cannot_mount() {
    for who in everybody() {
        let room = Room::new(who, Apart::Namespaces);
        let uid = match who {
            Who::Us => rustix::process::geteuid().as_raw(),
            Who::Nobody => NOBODY,
        };
        let done = room.script("id -u; umount /tmp 2>/dev/null || echo refused; cat /proc/self/comm");
        assert_eq!(done.said, format!("{uid}\nrefused\ncat\n"), "{who:?}");
    }
}

#[test]
fn an_end_is_repeated_by_the_launcher() {
    for apart in ALL {
        for who in everybody() {
            let room = Room::new(who, apart);
            for code in [0, 1, 134, 255] {
                let status = room.script(&format!("exit {code}")).status;
                assert_eq!(status.code(), Some(code), "{apart:?} {who:?}");
            }
            // Not the one for a lost terminal: who runs this with `nohup` has it ignored.
            for signal in [6, 9, 10, 11, 15] {
                let status = room.script(&format!("kill -{signal} $$; sleep 9")).status;
                assert_eq!(status.signal(), Some(signal), "{apart:?} {who:?}");
            }
            let done = room.run(&["/no/such/java"]);
            assert_eq!(done.status.code(), Some(125), "{apart:?} {who:?}");
            assert!(
                done.said.contains("cannot start `/no/such/java`: No such file"),
                "{}",
                done.said
            );
        }
    }
}

#[test]
fn nothing_outlives_the_program() {
    for apart in ALL {
        let room = Room::new(Who::Us, apart);
        let sleep = room.sleep();
        // One in its process group, one in a session of its own, one that is nobody's child.
        let script = format!("{sleep} & setsid {sleep} & (setsid {sleep} &) ; sleep 0.2; echo started");
        assert_eq!(room.script(&script).said, "started\n");
        assert_eq!(alive(&room.mark()), Vec::<String>::new(), "{apart:?}");
    }
}

#[test]
fn all_ends_when_the_one_who_wanted_it_is_gone() {
    for apart in ALL {
        let room = Room::new(Who::Us, apart);
        let sleep = room.sleep();
        let mut child = room.start_script(&format!("setsid {sleep} & {sleep}"));
        wait_for(&room.mark(), 2);
        // As the kernel does for a program that is killed.
        drop(child.stdin.take());
        assert!(ends_within(&room.mark(), Duration::from_secs(2)), "{apart:?}");
        child.wait().unwrap();
    }
}

#[test]
fn a_launcher_that_is_killed_takes_the_program_along() {
    for apart in ALL {
        let room = Room::new(Who::Us, apart);
        let mut child = room.start_script(&format!("exec {}", room.sleep()));
        wait_for(&room.mark(), 1);
        child.kill().unwrap();
        assert!(ends_within(&room.mark(), Duration::from_secs(2)), "{apart:?}");
        child.wait().unwrap();
    }
}

#[test]
fn homes_and_projects_may_be_anywhere() {
    for who in everybody() {
        let room = Room::new(who, Apart::Namespaces);
        // A home that is a link.
        fs::rename(room.path("home"), room.path("elsewhere")).unwrap();
        symlink(room.path("elsewhere"), room.path("home")).unwrap();
        // What cannot be written outside cannot be written inside.
        let closed = room.project().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        fs::set_permissions(room.project(), fs::Permissions::from_mode(0o555)).unwrap();
        let done = room.script("pwd; touch $ROOM/home/.rc; touch a closed/b 2>/dev/null || echo closed");
        let closed = match who {
            Who::Us if rustix::process::geteuid().is_root() => "",
            _ => "closed\n",
        };
        assert_eq!(
            done.said,
            format!("{}\n{closed}", room.project().display()),
            "{who:?}"
        );
        assert!(!room.path("elsewhere/.rc").exists());
        fs::set_permissions(room.project(), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Binds a port, says so, waits, and ends in its own way.
const PORT: &str = r#"
    public class Port {
        public static void main(String[] arguments) throws Exception {
            int port = Integer.parseInt(arguments[0]);
            java.net.ServerSocket server = new java.net.ServerSocket(port);
            new java.net.Socket("localhost", server.getLocalPort()).close();
            System.out.println("bound");
            Thread.sleep(Long.parseLong(arguments[1]));
            System.exit(3);
        }
    }
"#;

#[test]
fn two_jvms_have_the_same_port_at_the_same_time() {
    let everybody = everybody();
    let mut tried = 0;
    for jdk in jdks() {
        for who in everybody.iter().copied().filter(|who| who.reaches(&jdk)) {
            tried += 1;
            let rooms = [
                Room::new(who, Apart::Namespaces),
                Room::new(who, Apart::Namespaces),
            ];
            rooms.iter().for_each(|room| room.compile(&jdk));
            // The machine's own is taken, too.
            let taken = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = taken.local_addr().unwrap().port().to_string();
            let java = jdk.join("bin/java").display().to_string();
            let jvms = rooms.map(|room| (room.start(&[&java, "-cp", ".", "Port", &port, "1000"]), room));
            for (jvm, room) in jvms {
                let done = room.wait(jvm);
                assert_eq!(
                    (done.said.as_str(), done.status.code()),
                    ("bound\n", Some(3)),
                    "{java} {who:?}"
                );
            }
        }
    }
    // At least one JDK is everybody's.
    assert!(tried >= jdks().len() + everybody.len() - 1, "{tried}");
}

#[test]
fn a_jvm_prints_its_threads_when_it_is_asked_to() {
    let says = |room: &Room, text: &str| {
        while !room.said().contains(text) {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    for jdk in jdks() {
        for apart in ALL {
            let room = Room::new(Who::Us, apart);
            room.compile(&jdk);
            let java = jdk.join("bin/java").display().to_string();
            let mut jvm = room.start(&[&java, "-cp", ".", "Port", "0", "60000"]);
            says(&room, "bound\n");
            jvm.stdin.as_mut().unwrap().write_all(b"q").unwrap();
            says(&room, "at Port.main");
            drop(jvm.stdin.take());
            assert_eq!(jvm.wait().unwrap().signal(), Some(9));
        }
    }
}
