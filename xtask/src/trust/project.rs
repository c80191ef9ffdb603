//! A Maven project with tests of JUnit 4 and 5, written from nothing.

use crate::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>unflake.trust</groupId>
  <artifactId>suite</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version>
      <scope>test</scope>
    </dependency>
    <dependency>
      <groupId>org.junit.vintage</groupId>
      <artifactId>junit-vintage-engine</artifactId>
      <version>5.10.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.2.5</version>
        <configuration>
          <runOrder>alphabetical</runOrder>
          <testFailureIgnore>true</testFailureIgnore>
          <argLine>-Xmx256m -XX:MaxMetaspaceSize=96m</argLine>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
"#;

pub(super) struct Project {
    folder: PathBuf,
}

impl Project {
    pub(super) fn write(folder: &Path) -> Outcome<Project> {
        Project::with_pom(folder, POM)
    }

    /// One of JUnit 4 alone, whose test JVMs have these options.
    pub(super) fn quick(folder: &Path, options: &str) -> Outcome<Project> {
        let dependencies = "<dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
                            <version>4.13.2</version><scope>test</scope></dependency>";
        let (before, rest) = POM.split_once("<dependencies>").unwrap_or_default();
        let (_, after) = rest.split_once("</dependencies>").unwrap_or_default();
        let pom = format!("{before}<dependencies>{dependencies}</dependencies>{after}");
        Project::with_pom(folder, &pom.replace("-Xmx256m", &format!("-Xmx256m {options}")))
    }

    fn with_pom(folder: &Path, pom: &str) -> Outcome<Project> {
        let project = Project {
            folder: folder.to_owned(),
        };
        project.file("pom.xml", pom)?;
        Ok(project)
    }

    /// A class of the package `suite`, among the tests.
    pub(super) fn class(&self, name: &str, body: &str) -> Outcome<()> {
        let text = format!("package suite;\n\n{body}");
        self.file(&format!("src/test/java/suite/{name}.java"), &text)
    }

    fn file(&self, name: &str, text: &str) -> Outcome<()> {
        let path = self.folder.join(name);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(|e| Failure::io("cannot create", parent, &e))?;
        fs::write(&path, text).map_err(|e| Failure::io("cannot write", &path, &e))
    }
}
