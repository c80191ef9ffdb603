//! Maven's build file: one more dependency of the tests, with everything else byte for byte as it was.

use crate::edit::Edits;

/// A library by Maven's coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub group: String,
    pub name: String,
    pub version: String,
}

/// What a build file has, by bytes.
#[derive(Debug, Default)]
struct Outline {
    /// `<dependencies>` of the project, and its end tag.
    list: Option<(usize, usize)>,
    /// The first `<dependency>` in it, and the first element inside of that.
    first: Option<usize>,
    inside: Option<usize>,
    /// The first element of the project.
    child: Option<usize>,
    /// `<build>`, `<profiles>` or the end of the project, whichever comes first.
    after: Option<usize>,
    /// Names of artifacts that it depends on, or whose versions it manages.
    artifacts: Vec<String>,
}

/// The edits that add it with scope `test`. An error is the reason why that cannot be done: lower case, no full stop.
pub fn with_test_dependency(pom: &str, artifact: &Artifact) -> Result<Edits, String> {
    let outline = Outline::of(pom).ok_or("it cannot be read as a build file of Maven")?;
    if outline.artifacts.contains(&artifact.name) {
        return Err(format!("it says something about `{}` already", artifact.name));
    }
    let end = if pom.contains("\r\n") { "\r\n" } else { "\n" };
    let odd = "its tags do not stand on lines of their own";
    let indent = |at: usize| indentation(pom, at).ok_or(odd);
    let (at, outer, unit, is_new) = match (outline.list, outline.after) {
        (Some((start, close)), _) if start == close => {
            return Err("it has an empty tag `<dependencies/>`".to_owned());
        }
        (Some((start, close)), _) => {
            let outer = indent(start)?;
            let unit = match outline.first {
                Some(first) => indent(first)?.strip_prefix(outer).unwrap_or("  "),
                None => outer,
            };
            indent(close)?;
            (close, outer, unit, false)
        }
        (None, Some(after)) => {
            let child = indent(outline.child.ok_or(odd)?)?;
            indent(after)?;
            (after, child, child, true)
        }
        (None, None) => return Err("it has no end".to_owned()),
    };
    let line_start = pom[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let dependency = format!("{outer}{unit}");
    let inner = match outline.inside {
        Some(inside) if !is_new => indent(inside)?.to_owned(),
        _ => format!("{dependency}{unit}"),
    };
    let Artifact { group, name, version } = artifact;
    let mut lines = vec![
        format!("{dependency}<dependency>"),
        format!("{inner}<groupId>{group}</groupId>"),
        format!("{inner}<artifactId>{name}</artifactId>"),
        format!("{inner}<version>{version}</version>"),
        format!("{inner}<scope>test</scope>"),
        format!("{dependency}</dependency>"),
    ];
    if is_new {
        lines.insert(0, format!("{outer}<dependencies>"));
        lines.push(format!("{outer}</dependencies>"));
    }
    let text: String = lines.into_iter().map(|line| line + end).collect();
    Ok(Edits::new().insert(line_start, text))
}

/// What stands before a byte on its line, if that is only white space.
fn indentation(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[start..at];
    before.trim().is_empty().then_some(before)
}

impl Outline {
    /// `None`: tags do not close each other, or it is no project.
    fn of(pom: &str) -> Option<Outline> {
        let mut outline = Outline::default();
        let mut path: Vec<&str> = Vec::new();
        let (mut at, mut value) = (0, 0);
        let mut is_closed = false;
        while let Some(found) = pom[at..].find('<') {
            let start = at + found;
            let rest = &pom[start..];
            let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
            if let Some((_, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
                at = start + rest.find(end)? + end.len();
                continue;
            }
            let tag = &rest[..rest.find('>')? + 1];
            at = start + tag.len();
            if let Some(closed) = tag.strip_prefix("</") {
                if path.last() == Some(&"artifactId") {
                    outline.artifacts.push(pom[value..start].trim().to_owned());
                }
                outline.end(&path, start);
                let name = closed.trim_end_matches('>').trim();
                (path.pop()? == name).then_some(())?;
                is_closed |= path.is_empty();
                continue;
            }
            let name = tag[1..]
                .split(|c: char| c.is_whitespace() || c == '/' || c == '>')
                .next()?;
            path.push(name);
            value = at;
            outline.begin(&path, start);
            if tag.ends_with("/>") {
                path.pop();
            }
        }
        is_closed.then_some(outline)
    }

    fn begin(&mut self, path: &[&str], start: usize) {
        match path {
            ["project", name] => {
                self.child.get_or_insert(start);
                if matches!(*name, "build" | "profiles" | "reporting") {
                    self.after.get_or_insert(start);
                }
                if *name == "dependencies" {
                    self.list = Some((start, start));
                }
            }
            ["project", "dependencies", "dependency"] => {
                self.first.get_or_insert(start);
            }
            ["project", "dependencies", "dependency", _] => {
                self.inside.get_or_insert(start);
            }
            _ => {}
        }
    }

    fn end(&mut self, path: &[&str], start: usize) {
        match path {
            ["project"] => {
                self.after.get_or_insert(start);
            }
            ["project", "dependencies"] => {
                self.list = self.list.map(|(begin, _)| (begin, start));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(pom: &str) -> Result<String, String> {
        let artifact = Artifact {
            group: "g".to_owned(),
            name: "a".to_owned(),
            version: "1".to_owned(),
        };
        with_test_dependency(pom, &artifact).map(|edits| edits.apply(pom))
    }

    #[test]
    fn a_dependency_is_the_last_one_in_the_style_of_the_others() {
        let pom = "<?xml version=\"1.0\"?>\n<!-- <dependencies> -->\n<project xmlns=\"x\">\n\t<dependencyManagement>\n\
                   \t\t<dependencies>\n\t\t</dependencies>\n\t</dependencyManagement>\n\t<dependencies>\n\t\t<dependency>\n\
                   \t\t\t<artifactId>b</artifactId>\n\t\t</dependency>\n\t</dependencies>\n</project>\n";
        let new = "\t\t<dependency>\n\t\t\t<groupId>g</groupId>\n\t\t\t<artifactId>a</artifactId>\n\
                   \t\t\t<version>1</version>\n\t\t\t<scope>test</scope>\n\t\t</dependency>\n";
        let end = "\t</dependencies>\n</project>\n";
        let expected = format!("{}{new}{end}", pom.strip_suffix(end).unwrap());
        assert_eq!(added(pom), Ok(expected));
    }

    #[test]
    fn a_list_that_is_missing_is_made_before_the_build() {
        let pom =
            "<project>\r\n  <modelVersion>4.0.0</modelVersion>\r\n  <build>\r\n  </build>\r\n</project>\r\n";
        let new = "  <dependencies>\r\n    <dependency>\r\n      <groupId>g</groupId>\r\n      <artifactId>a</artifactId>\r\n\
                   \x20     <version>1</version>\r\n      <scope>test</scope>\r\n    </dependency>\r\n  </dependencies>\r\n";
        assert_eq!(
            added(pom),
            Ok(pom.replace("  <build>", &format!("{new}  <build>")))
        );
        let empty = "<project>\n  <dependencies>\n  </dependencies>\n</project>\n";
        let added = added(empty).unwrap();
        assert!(added.contains("\n    <dependency>\n      <groupId>g<"), "{added}");
    }

    #[test]
    fn an_unusual_file_is_refused() {
        let refused = |pom: &str, why: &str| assert_eq!(added(pom), Err(why.to_owned()), "{pom}");
        refused("", "it cannot be read as a build file of Maven");
        refused(
            "<project><build></project>",
            "it cannot be read as a build file of Maven",
        );
        let odd = "its tags do not stand on lines of their own";
        refused("<project><dependencies></dependencies></project>", odd);
        refused(
            "<project>\n  <dependencies/>x<build/>\n</project>",
            "it has an empty tag `<dependencies/>`",
        );
        let managed = "<project>\n  <dependencyManagement>\n    <artifactId> a </artifactId>\n  </dependencyManagement>\n</project>";
        refused(managed, "it says something about `a` already");
    }
}
