//! What is watched: the project's own classes, unless something else was asked for.

use super::changes::Changes;
use crate::check::Check;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unflake_protocol::{HeapSetting, Roots, Watch};

/// Of roots that reach more objects a sample is compared, unless the user says another number: all of them would be
/// walked after every test. (commons-lang3 has three such roots; with all of them watching its tests took nine times as
/// long.)
const MOST_OBJECTS: u32 = 20_000;

/// Fields that belong to nobody's tests: of generated classes, and what mocking frameworks and coverage tools add.
const EXCLUDED_ROOTS: [&str; 3] = [
    r".*\$\$.*",
    r".*\$(?:Mockito|Proxy|EasyMock|JMock|ByteBuddy).*",
    r".*\.(?:__cobertura|\$jacoco).*",
];

pub(super) fn watch(check: &Check<'_>) -> Watch {
    let asked = &check.options.pollution;
    let launches = &check.session.suite.launches;
    let excluded = EXCLUDED_ROOTS.iter().map(|pattern| (*pattern).to_owned());
    Watch {
        roots: Roots {
            packages: packages(launches.iter().flat_map(|launch| &launch.class_path)),
            all: asked.all_roots,
            include: asked.include_roots.clone(),
            exclude: excluded.chain(asked.exclude_roots.iter().cloned()).collect(),
            exclude_fields: asked.exclude_fields.clone(),
        },
        points: asked.capture,
        eager: Vec::new(),
        directories: asked
            .directories
            .iter()
            .map(|given| check.options.place.project.join(given))
            .collect(),
        ignored: ignored(check),
        initial: false,
        around: check.options.graph,
        abstractions: asked.abstractions.clone(),
        most_objects: asked.most_objects.unwrap_or(MOST_OBJECTS),
    }
}

/// What of the settings matched nothing, or cannot be used: a sentence each. A part of the tests may load a part of the
/// classes only, so then nothing is said of what matched nothing.
pub(super) fn without_use(check: &Check<'_>, changes: &Changes) -> Vec<String> {
    let asked = &check.options.pollution;
    let unusable = changes.unusable.iter();
    let mut said: Vec<String> = unusable
        .map(|(class, reason)| format!("the abstraction of `{class}` is not used: {reason}"))
        .collect();
    if !check.options.tests.is_empty() || check.is_cancelled() {
        return said;
    }
    let is_unused = |setting: &HeapSetting| !changes.used.contains(setting);
    let mut unused = |settings: Vec<HeapSetting>, what: fn(&str) -> String| {
        for setting in settings.iter().filter(|setting| is_unused(setting)) {
            let (HeapSetting::IncludeRoots(text)
            | HeapSetting::ExcludeRoots(text)
            | HeapSetting::ExcludeFields(text)
            | HeapSetting::Abstraction(text)) = setting;
            said.push(what(text));
        }
    };
    let all = |patterns: &[String], setting: fn(String) -> HeapSetting| {
        patterns.iter().cloned().map(setting).collect::<Vec<_>>()
    };
    unused(all(&asked.include_roots, HeapSetting::IncludeRoots), |pattern| {
        format!(
            "the pattern `{pattern}` of `include_roots` matches no static field of the classes that were loaded; it must match all of `package.Class.field`"
        )
    });
    unused(all(&asked.exclude_roots, HeapSetting::ExcludeRoots), |pattern| {
        format!(
            "the pattern `{pattern}` of `exclude_roots` matches no static field that would be watched; correct it or remove it"
        )
    });
    unused(
        all(&asked.exclude_fields, HeapSetting::ExcludeFields),
        |pattern| {
            format!(
                "the pattern `{pattern}` of `exclude_fields` matches no field of the objects that were reached; it must match all of `package.Class.field`"
            )
        },
    );
    let classes = asked.abstractions.iter().map(|one| &one.class);
    let classes = classes
        .filter(|class| !changes.unusable.contains_key(*class))
        .map(|class| HeapSetting::Abstraction(class.clone()));
    unused(classes.collect(), |class| {
        format!(
            "the abstraction of `{class}` is not used: no object of this class was reached; its name needs the package, and `$` before a nested class"
        )
    });
    said
}

/// What the build writes beside the tests, and what we do.
fn ignored(check: &Check<'_>) -> Vec<PathBuf> {
    let reports = check.reports;
    let launches = check.session.suite.launches.iter();
    let reports = launches.flat_map(|launch| reports.iter().map(|report| launch.directory.join(report)));
    let own = [check.options.place.store.clone()];
    reports.chain(own).collect()
}

/// The packages of the classes that lie in directories: those are the project's own, libraries come in jars.
fn packages<'a>(class_path: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    let directories: BTreeSet<&String> = class_path.collect();
    for directory in directories {
        let mut todo = vec![(Path::new(directory).to_owned(), String::new())];
        while let Some((folder, package)) = todo.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if entry.path().is_dir() {
                    let below = if package.is_empty() {
                        name
                    } else {
                        format!("{package}.{name}")
                    };
                    todo.push((entry.path(), below));
                } else if name.ends_with(".class") {
                    found.insert(package.clone());
                }
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::simulated;
    use std::fs;

    #[test]
    fn the_project_s_own_packages_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "classes/a/b/C.class",
            "classes/D.class",
            "classes/a/x/notes.txt",
            "lib/c/E.jar",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let entry = |name: &str| folder.path().join(name).display().to_string();
        let class_path = [entry("classes"), entry("lib"), entry("no-such-folder")];
        assert_eq!(packages(class_path.iter()), ["", "a.b"]);
    }

    #[test]
    fn what_is_watched_is_what_was_asked_for() {
        let simulated = simulated("A#a").with(|options| {
            let asked = &mut options.pollution;
            asked.include_roots = vec!["a\\..*".to_owned()];
            asked.exclude_roots = vec!["b\\..*".to_owned()];
            asked.exclude_fields = vec!["c\\..*".to_owned()];
            asked.directories = vec!["data".into(), "/var/data".into()];
            asked.most_objects = Some(7);
            asked.all_roots = true;
            options.graph = true;
        });
        let place = &simulated.options.place;
        let watch = simulated.check(watch);
        assert_eq!(watch.roots.include, ["a\\..*"]);
        assert_eq!(watch.roots.exclude.len(), EXCLUDED_ROOTS.len() + 1);
        assert_eq!(watch.roots.exclude.last().unwrap(), "b\\..*");
        assert_eq!(watch.roots.exclude_fields, ["c\\..*"]);
        assert_eq!(
            watch.directories,
            [place.project.join("data"), "/var/data".into()]
        );
        assert_eq!(
            (watch.most_objects, watch.around, watch.roots.all),
            (7, true, true)
        );
        assert!(watch.eager.is_empty() && !watch.initial);
        // Neither what the build writes beside the tests, nor what we do.
        let reports = place.project.join("m1/target/target/reports");
        assert_eq!(watch.ignored, [reports, place.store.clone()]);
    }

    #[test]
    fn of_roots_that_reach_too_much_a_sample_is_compared_unless_somebody_says_otherwise() {
        let watch = simulated("A#a").check(watch);
        assert_eq!(
            (watch.most_objects, watch.roots.all, watch.around),
            (MOST_OBJECTS, false, false)
        );
    }
}
