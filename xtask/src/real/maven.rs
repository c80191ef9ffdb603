//! Putting a published project together again from its pom, `sources`, `test-sources` and `tests` artifacts, and
//! running Maven in it. Everything is asked of Maven by coordinates; afterwards the project builds offline.

use super::projects::Project;
use super::surefire::Results;
use crate::jdks::Jdk;
use crate::process::Program;
use crate::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// Checks that have nothing to do with tests, off for every tool; and what lets old poms compile on any JDK. A test
/// that fails must not stop the build before all were run.
const PROPERTIES: [&str; 14] = [
    "-Drat.skip=true",
    "-Dcheckstyle.skip=true",
    "-Dclirr.skip=true",
    "-Dcommons.clirr.skip=true",
    "-Danimal.sniffer.skip=true",
    "-Djacoco.skip=true",
    "-Dcobertura.skip=true",
    "-Denforcer.skip=true",
    "-Dspotbugs.skip=true",
    "-Dfindbugs.skip=true",
    "-Djapicmp.skip=true",
    "-Dmaven.compiler.source=1.8",
    "-Dmaven.compiler.target=1.8",
    "-Dmaven.test.failure.ignore=true",
];

/// A project put together for one JDK.
#[derive(Debug)]
pub(super) struct Checkout<'a> {
    project: &'a Project,
    java: &'a Jdk,
    base: PathBuf,
}

/// One `mvn` that ran tests.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) seconds: f64,
    pub(super) results: Results,
}

impl<'a> Checkout<'a> {
    pub(super) fn new(project: &'a Project, java: &'a Jdk, dir: &Path) -> Checkout<'a> {
        Checkout {
            project,
            java,
            base: dir.to_path_buf(),
        }
    }

    pub(super) fn name(&self) -> String {
        format!("{}-java{}", self.project.name(), self.java.version)
    }

    pub(super) fn dir(&self) -> PathBuf {
        self.base.join(self.name())
    }

    pub(super) fn java_home(&self) -> &Path {
        &self.java.home
    }

    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.base.join("logs").join(format!("{}-{name}.log", self.name()))
    }

    /// Whether an earlier call prepared it.
    pub(super) fn is_ready(&self) -> bool {
        self.dir().join("target/test-classes").is_dir()
    }

    /// The properties that all tools get.
    pub(super) fn properties() -> &'static [&'static str] {
        &PROPERTIES
    }

    /// Maven in this project with this JDK.
    pub(super) fn maven(&self) -> Program {
        Program::new("mvn")
            .arg("-B")
            .args(PROPERTIES)
            .dir(&self.dir())
            .env("JAVA_HOME", self.java_home())
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("MAVEN_OPTS")
    }

    /// Downloads, unpacks, compiles, and runs the tests once so that all that Maven needs is there.
    pub(super) fn prepare(&self) -> Outcome<()> {
        let dir = self.dir();
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|e| Failure::io("cannot remove", &dir, &e))?;
        }
        let parts = self.base.join("artifacts").join(self.project.name());
        self.download(&parts)?;
        make_dir(&dir)?;
        let stem = format!("{}-{}", self.project.artifact, self.project.version);
        copy(&parts.join(format!("{stem}.pom")), &dir.join("pom.xml"))?;
        let unpacked = dir.join("unpacked");
        for (classifier, side) in [("sources", "main"), ("test-sources", "test"), ("tests", "test")] {
            let from = unpacked.join(classifier);
            make_dir(&from)?;
            let jar = parts.join(format!("{stem}-{classifier}.jar"));
            Program::new(self.java.tool("jar"))
                .arg("xf")
                .arg(&jar)
                .dir(&from)
                .succeed()?;
            sort_in(&from, &from, &dir.join("src").join(side))?;
        }
        fs::remove_dir_all(&unpacked).map_err(|e| Failure::io("cannot remove", &unpacked, &e))?;
        self.maven()
            .arg("test")
            .log(&self.log("prepare"))
            .succeed()
            .map(drop)
    }

    /// One plain `mvn test`.
    pub(super) fn test(&self, name: &str) -> Outcome<Ran> {
        let reports = self.dir().join("target/surefire-reports");
        if reports.exists() {
            fs::remove_dir_all(&reports).map_err(|e| Failure::io("cannot remove", &reports, &e))?;
        }
        let ended = self
            .maven()
            .arg("-o")
            .arg("test")
            .log(&self.log(name))
            .succeed()?;
        let results = Results::read(&reports)?;
        if results.tests() == 0 {
            return Err(Failure::new(format!("`{}` ran no tests", ended.shown))
                .hint(format!("see {}", self.log(name).display())));
        }
        Ok(Ran {
            seconds: ended.seconds,
            results,
        })
    }

    /// The artifacts into `parts`, by a pom that depends on them.
    fn download(&self, parts: &Path) -> Outcome<()> {
        let Project {
            group,
            artifact,
            version,
        } = self.project;
        let dependency = |extra: &str| {
            format!(
                "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
                 <version>{version}</version>{extra}</dependency>"
            )
        };
        let dependencies: String = ["sources", "test-sources", "tests"]
            .iter()
            .map(|classifier| dependency(&format!("<classifier>{classifier}</classifier>")))
            .chain([dependency("<type>pom</type>")])
            .collect();
        let pom = format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>unflake.bench</groupId><artifactId>fetch</artifactId>\
             <version>1</version><packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
        );
        make_dir(parts)?;
        let file = parts.join("fetch.xml");
        fs::write(&file, pom).map_err(|e| Failure::io("cannot write", &file, &e))?;
        Program::new("mvn")
            .args(["-B", "-f"])
            .arg(&file)
            .arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies")
            .arg("-DexcludeTransitive=true")
            .arg(format!("-DoutputDirectory={}", parts.display()))
            .env("JAVA_HOME", self.java_home())
            .env_remove("JAVA_TOOL_OPTIONS")
            .log(&self.log("download"))
            .succeed()
            .map(drop)
    }
}

/// Moves what was unpacked to where Maven wants it: `.java` into `java`, all else but class files and what the packager
/// added into `resources`.
fn sort_in(top: &Path, dir: &Path, side: &Path) -> Outcome<()> {
    for entry in fs::read_dir(dir)
        .map_err(|e| Failure::io("cannot list", dir, &e))?
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            sort_in(top, &path, side)?;
            continue;
        }
        let name = path.strip_prefix(top).unwrap_or(&path);
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension == Some("class") || is_packaging(name) {
            continue;
        }
        let to = side
            .join(if extension == Some("java") {
                "java"
            } else {
                "resources"
            })
            .join(name);
        if !to.exists() {
            make_dir(to.parent().unwrap_or(side))?;
            copy(&path, &to)?;
        }
    }
    Ok(())
}

/// The manifest and the like; and what an annotation processor wrote when the project was packaged (JMH's), which it
/// writes again.
fn is_packaging(name: &Path) -> bool {
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("META-INF/maven")
        || ["MANIFEST.MF", "LICENSE.txt", "NOTICE.txt"]
            .iter()
            .any(|file| name == Path::new("META-INF").join(file))
        || file.contains("_jmhT")
}

fn make_dir(dir: &Path) -> Outcome<()> {
    fs::create_dir_all(dir).map_err(|e| Failure::io("cannot create", dir, &e))
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    fs::copy(from, to)
        .map(drop)
        .map_err(|e| Failure::io("cannot copy", from, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_packager_added_is_left_out() {
        assert!(is_packaging(Path::new("META-INF/MANIFEST.MF")));
        assert!(is_packaging(Path::new("META-INF/maven/g/a/pom.xml")));
        assert!(!is_packaging(Path::new("META-INF/services/java.lang.Runnable")));
        assert!(is_packaging(Path::new("p/generated/BitSetTest_jmhType_B1.java")));
        assert!(!is_packaging(Path::new("data/test/Bag.obj")));
    }
}
