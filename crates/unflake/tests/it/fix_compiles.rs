//! `unflake fix` compiles one file alone, as the build does: with annotation processors, and beside modules.

use crate::fixture::Fixture;
use serde_json::Value;
use std::fs;
use std::path::Path;

const TEST: &str = "src/test/java/p/OneTest.java";

/// A project with this in its build file.
fn project(properties: &str, dependency: &str, arguments: &str, files: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::written(files);
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/repair/pom.xml");
    let pom = fs::read_to_string(pom).unwrap();
    let compiler = format!(
        "<plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.13.0</version>
        <configuration><compilerArgs>{arguments}</compilerArgs></configuration>
      </plugin>"
    );
    let (head, rest) = pom.split_once("<properties>").unwrap();
    let (_, rest) = rest.split_once("</properties>").unwrap();
    let rest = rest
        .replace("<dependencies>", &format!("<dependencies>{dependency}"))
        .replace("<plugins>", &format!("<plugins>{compiler}"));
    let utf8 = "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>";
    fixture.write(
        "pom.xml",
        &format!("{head}<properties>{properties}{utf8}</properties>{rest}"),
    );
    fixture
}

/// The safety of each proved patch, of the only group.
fn repaired(fixture: &Fixture, arguments: &str) -> Vec<String> {
    let output = fixture.unflake(&format!("fix --format json {arguments}"));
    let told = String::from_utf8_lossy(&output.stderr);
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert_eq!(
        output.status.code(),
        Some(0),
        "{told}\n{:#}",
        document["findings"]
    );
    let groups = document["repairs"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    let candidates = groups[0]["candidates"].as_array().unwrap().iter();
    candidates
        .map(|candidate| candidate["safety"].as_str().unwrap().to_owned())
        .collect()
}

fn java(version: u8) -> String {
    let jdks = xtask::jdks::require_all(&[]).unwrap_or_else(|missing| panic!("{missing}"));
    let jdk = jdks.iter().find(|jdk| jdk.version == version).unwrap();
    format!("--java {}", jdk.home.display())
}

const LOMBOK: &str = "<dependency>
      <groupId>org.projectlombok</groupId>
      <artifactId>lombok</artifactId>
      <version>1.18.42</version>
      <scope>provided</scope>
    </dependency>";

/// From Java 23 on a compiler runs processors only if it is told so, as this build does.
#[test]
fn a_class_that_needs_annotation_processors() {
    let source = "package p;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import lombok.Value;
import org.junit.jupiter.api.Test;

class OneTest {
    @Value
    static class Named {
        String name;
    }

    @Test
    void a() {
        Set<String> names = new HashSet<>(Arrays.asList(\"a\", \"b\"));
        assertEquals(Arrays.asList(\"a\", \"b\"), new ArrayList<>(names));
        assertEquals(\"x\", new Named(\"x\").getName());
    }
}
";
    let release = "<maven.compiler.release>17</maven.compiler.release>";
    for (version, argument) in [(17, "<arg>-Xlint:none</arg>"), (25, "<arg>-proc:full</arg>")] {
        let fixture = project(release, LOMBOK, argument, &[(TEST, source)]);
        assert_eq!(repaired(&fixture, &java(version)), ["test"], "Java {version}");
    }
}

#[test]
fn a_test_and_a_main_class_of_a_module() {
    let main = "package p;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

public final class Flags {
    private final Set<String> defaults;

    public Flags(Collection<String> defaults) {
        this.defaults = new HashSet<>(defaults);
    }

    @Override
    public String toString() {
        return \"Flags@\" + defaults;
    }
}
";
    let test = "package p;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OneTest {
    @Test
    void flags() {
        assertEquals(\"Flags@[a, b]\", new Flags(Arrays.asList(\"a\", \"b\")).toString());
    }
}
";
    let module = "module flags {\n    requires java.sql;\n    exports p;\n}\n";
    let release = "<maven.compiler.release>17</maven.compiler.release>";
    let fixture = project(
        release,
        "",
        "<arg>-Xlint:none</arg>",
        &[
            (TEST, test),
            ("src/main/java/p/Flags.java", main),
            ("src/main/java/module-info.java", module),
        ],
    );
    assert_eq!(repaired(&fixture, "--safety main"), ["test", "main"]);
}
