//! Forty classes that all want the same three ports, and files of fixed names in the working directory and in the home.
//! They are good tests: nothing may be reported, with namespaces and without.

use super::Asked;
use super::project::Project;
use crate::{Failure, Outcome, print, say};
use std::time::Duration;

const CLASSES: usize = 40;
const PORTS: [u16; 3] = [18_081, 18_082, 18_083];
const TIMES: usize = 10;
const LIMIT: Duration = Duration::from_secs(1800);

const TEST: &str = r#"import static org.junit.jupiter.api.Assertions.*;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.junit.jupiter.api.Test;

class ServerNAMETest {
    @Test void answers() throws Exception {
        try (ServerSocket server = new ServerSocket(PORT, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("ServerNAME".getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            thread.start();
            try (Socket socket = new Socket("127.0.0.1", PORT)) {
                assertEquals("ServerNAME", read(socket.getInputStream()));
            }
            thread.join();
        }
        assertEquals(3, names().size());
    }

    @Test void keepsFiles() throws Exception {
        for (Path folder : new Path[] {Paths.get(""), Paths.get(System.getProperty("user.home"))}) {
            Path file = folder.resolve("server.txt").toAbsolutePath();
            Files.write(file, Collections.singletonList("ServerNAME"));
            Thread.sleep(5);
            assertEquals(Collections.singletonList("ServerNAME"), Files.readAllLines(file));
            Files.delete(file);
        }
        assertEquals(3, names().size());
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>();
        for (String name : new HashSet<>(Arrays.asList("alpha", "beta", "gamma"))) {
            names.add(name);
        }
        return names;
    }

    private static String read(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            text.append((char) c);
        }
        return text.toString();
    }
}
"#;

pub(super) fn run(asked: &Asked) -> Outcome<()> {
    let folder = asked.folder("servers")?;
    let project = Project::write(&folder)?;
    for n in 0..CLASSES {
        let port = PORTS[n % PORTS.len()].to_string();
        let text = TEST.replace("NAME", &n.to_string()).replace("PORT", &port);
        project.class(&format!("Server{n}Test"), &text)?;
    }
    let times = if asked.times == 0 { TIMES } else { asked.times };
    let mut wrong = 0;
    for mode in ["auto", "off"] {
        for n in 1..=times {
            let options = ["--only", "id,pollution,order", "--isolation", mode];
            let checked = asked.check(&folder, &options, LIMIT)?;
            let mut lines: Vec<String> = checked
                .findings()
                .into_iter()
                .map(|(kind, test)| format!("{kind} {test}"))
                .collect();
            let excluded = checked.document["excluded"].as_array().into_iter().flatten();
            lines.extend(
                excluded.map(|one| format!("{}: {} ({})", one["reason"], one["test"], one["detail"])),
            );
            say(format!(
                "{mode}, check {n}: {:.0} s, {} said of good tests",
                checked.ended.seconds,
                lines.len()
            ));
            lines.iter().take(10).for_each(|line| say(format!("  {line}")));
            wrong += lines.len();
        }
    }
    print(format!(
        "{CLASSES} classes on {} ports, {times} checks with namespaces and {times} without: {wrong} false alarms",
        PORTS.len()
    ));
    if wrong > 0 {
        return Err(Failure::new("test JVMs were in each other's way"));
    }
    Ok(())
}
