use super::*;
use crate::simulated::{Simulated, simulated};
use std::cell::RefCell;
use std::rc::Rc;

/// What compilers of our tests were told: their options, and the names of their files.
pub(crate) type Told = Rc<RefCell<Vec<(Vec<String>, Vec<String>)>>>;

/// A compiler that is none: a file with `ERROR` in it has an error in that line, one with `DIE` ends the compiler. Classes
/// are the sources themselves.
struct SimulatedCompiler {
    told: Told,
}

impl Compiles for SimulatedCompiler {
    fn compile(&mut self, options: &[String], files: &[PathBuf]) -> io::Result<Vec<CompileError>> {
        let name = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().to_owned();
        let names = files.iter().map(name).collect();
        self.told.borrow_mut().push((options.to_vec(), names));
        let mut errors = Vec::new();
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
            if text.contains("DIE") {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let wrong = (1..).zip(text.lines()).find(|(_, line)| line.contains("ERROR"));
            errors.extend(wrong.map(|(line, _)| CompileError {
                file: file.clone(),
                line,
                message: "no\nat all".to_owned(),
            }));
        }
        Ok(errors)
    }
}

/// A simulated suite whose sources and classes lie where the launches look for them: each source is `path: text`.
pub(crate) struct Sourced {
    pub(crate) simulated: Simulated,
    pub(crate) sources: ProjectSources,
    pub(crate) told: Told,
}

pub(crate) fn sourced(suite: &str, sources: &[(&str, &str)]) -> Sourced {
    let mut simulated = simulated(suite);
    let project = simulated.session.project.clone();
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (path, text) in sources {
        write(project.join(path), text);
        let class = path.rsplit_once("/java/").unwrap().1.replace(".java", ".class");
        write(project.join("m1/target/test-classes").join(class), "");
    }
    let jdk = project.join("jdk");
    write(jdk.join("bin/javac"), "");
    for launch in &mut simulated.session.suite.launches {
        launch.java = jdk.join("bin/java");
        launch.class_path = vec![project.join("m1/target/test-classes").display().to_string()];
    }
    Sourced {
        sources: ProjectSources::new(&project),
        simulated,
        told: Told::default(),
    }
}

impl Sourced {
    pub(crate) fn start(&self) -> impl Fn(&Path) -> io::Result<Box<dyn Compiles>> + use<> {
        let told = self.told.clone();
        move |_: &Path| -> io::Result<Box<dyn Compiles>> {
            Ok(Box::new(SimulatedCompiler { told: told.clone() }))
        }
    }

    pub(crate) fn overlays<'a>(&'a self, start: &'a StartCompiler<'a>) -> Overlays<'a> {
        let session = &self.simulated.session;
        Overlays::new(
            &self.sources,
            &session.suite.launches,
            session.project.join("overlays"),
            start,
        )
    }
}

pub(crate) fn texts(texts: &[(&str, &str)]) -> Texts {
    let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    texts.iter().map(owned).collect()
}

fn launch(options: &[&str], class_path: &[&str]) -> Launch {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Launch {
        java: "/jdk/bin/java".into(),
        options: owned(options),
        class_path: owned(class_path),
        directory: "/".into(),
        environment: BTreeMap::new(),
        properties: BTreeMap::new(),
    }
}

#[test]
fn a_new_library_is_there_only_for_those_who_edit_the_build_file() {
    let source = "m1/src/test/java/p/ATest.java";
    let sourced = sourced("p.ATest#a", &[(source, "class ATest {}")]);
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    overlays.add(vec!["/r/new.jar".into()]);
    let mut check = |edited: &[(&str, &str)], expected: bool| {
        let launches = overlays.compile(&texts(edited)).unwrap();
        let last = launches[0].class_path.last().unwrap();
        assert_eq!(last == "/r/new.jar", expected, "{last}");
        let told = sourced.told.borrow();
        let (options, files) = told.last().unwrap();
        assert_eq!(
            options.iter().any(|option| option.ends_with(":/r/new.jar")),
            expected
        );
        assert_eq!(files, &["ATest.java"]);
    };
    check(&[(source, "class ATest { }")], false);
    check(&[(source, "class ATest { }"), ("m1/pom.xml", "<project/>")], true);
}

#[test]
fn an_overlay_comes_first_on_every_path() {
    let modular = launch(&["-ea", "--patch-module", "m=/t", "--patch-module=n=/u"], &["/a"]);
    let patched = in_front(&modular, Path::new("/o"));
    assert_eq!(
        patched.options,
        ["-ea", "--patch-module", "m=/o:/t", "--patch-module=n=/o:/u"]
    );
    assert_eq!(patched.class_path, ["/o", "/a"]);
    assert_eq!(paths_of_modules(&modular), ["/t", "/u"]);
}

#[test]
fn sources_are_compiled_for_the_java_of_their_classes() {
    let class = |major: u8| vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, major];
    let shown = |classes: &[Vec<u8>]| {
        options(
            &launch(&[], &["/a", "/b.jar"]),
            Encoding::Latin1,
            classes,
            Path::new("/o"),
        )
        .join(" ")
    };
    let common = "-g -nowarn -implicit:none -encoding ISO-8859-1 -d /o -cp /a:/b.jar";
    assert_eq!(shown(&[]), common);
    assert_eq!(shown(&[class(52)]), format!("{common} -source 1.8 -target 1.8"));
    let named = [class(61), b"MethodParameters".to_vec()].concat();
    assert_eq!(
        shown(&[named]),
        format!("{common} -source 17 -target 17 -parameters")
    );
}

const A: &str = "m1/src/test/java/p/ATest.java";
const B: &str = "m1/src/test/java/p/BTest.java";

#[test]
fn the_class_of_a_source_has_its_package() {
    let sourced = sourced("p.ATest#a", &[(A, "class ATest {}")]);
    let start = sourced.start();
    let overlays = sourced.overlays(&start);
    let built = overlays.class_of(A).unwrap();
    let directory = sourced.simulated.session.project.join("m1/target/test-classes");
    assert_eq!((built.name.as_str(), built.directory), ("p/ATest", directory));
    assert_eq!(overlays.class_of(B), None);
    assert_eq!(overlays.class_of("m1/src/test/kotlin/p/ATest.kt"), None);
}

#[test]
fn all_files_of_one_encoding_are_compiled_together() {
    let sourced = sourced("p.ATest#a", &[(A, "class ATest {}"), (B, "class BTest {}")]);
    // A file that is no UTF-8.
    fs::write(
        sourced.simulated.session.project.join(B),
        b"// \xe4\nclass BTest {}",
    )
    .unwrap();
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    let launches = overlays.compile(&texts(&[(A, "class ATest {}"), (B, "class BTest {}")]));
    assert!(launches.unwrap()[0].class_path[0].ends_with("overlay-1/classes"));
    let encodings: Vec<(String, String)> = (sourced.told.borrow().iter())
        .map(|(options, files)| {
            let at = options.iter().position(|option| option == "-encoding").unwrap();
            (options[at + 1].clone(), files.join(" "))
        })
        .collect();
    let told = |encoding: &str, files: &str| (encoding.to_owned(), files.to_owned());
    assert_eq!(
        encodings,
        [told("UTF-8", "ATest.java"), told("ISO-8859-1", "BTest.java")]
    );
}

#[test]
fn errors_are_told_of_each_file() {
    let sourced = sourced("p.ATest#a", &[(A, "class ATest {}"), (B, "class BTest {}")]);
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    let mut compile = |edited: &[(&str, &str)]| overlays.compile(&texts(edited)).unwrap_err();
    let other = "m1/src/test/java/p/Other.java";
    let errors = |of: &[(&str, &str)]| NotCompiled::Errors(texts(of));
    assert_eq!(
        compile(&[(A, "class ATest {\nERROR\n}"), (B, "class BTest {}")]),
        errors(&[(A, "line 2: no")])
    );
    assert_eq!(
        compile(&[(other, "class Other {}"), (B, "ERROR")]),
        errors(&[(B, "line 1: no"), (other, "its class is not on the class path")])
    );
    // A compiler that dies is replaced.
    assert!(matches!(compile(&[(A, "DIE")]), NotCompiled::Broken(_)));
    assert_eq!(compile(&[(A, "ERROR")]), errors(&[(A, "line 1: no")]));
}

#[test]
fn without_a_compiler_nothing_is_compiled() {
    let sourced = sourced("p.ATest#a", &[(A, "class ATest {}")]);
    let jdk = sourced.simulated.session.project.join("jdk");
    fs::remove_file(jdk.join("bin/javac")).unwrap();
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    let why = overlays.compile(&texts(&[(A, "class ATest {}")])).unwrap_err();
    let java = jdk.join("bin/java");
    let told = format!("there is no compiler beside `{}`", java.display());
    assert_eq!(why, NotCompiled::Broken(told));
}

#[test]
fn only_new_compilers_are_told_to_process_annotations() {
    let sourced = sourced("p.ATest#a", &[(A, "class ATest {}")]);
    let jdk = sourced.simulated.session.project.join("jdk");
    let start = sourced.start();
    let mut overlays = sourced.overlays(&start);
    let mut is_told = |release: &str| {
        fs::write(jdk.join("release"), release).unwrap();
        let can_be = overlays.process_annotations(true);
        overlays.compile(&texts(&[(A, "class ATest {}")])).unwrap();
        let told = sourced.told.borrow();
        let (options, _) = told.last().unwrap();
        assert_eq!(options.contains(&"-proc:full".to_owned()), can_be);
        can_be
    };
    assert!(is_told("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n"));
    assert!(is_told("JAVA_VERSION=\"23-ea\"\n"));
    assert!(!is_told("JAVA_VERSION=\"21.0.8\"\n"));
    assert!(!is_told("JAVA_VERSION=\"1.8.0_462\"\n"));
    assert!(!is_told(""));
}

#[test]
fn paths_of_modules_are_named_in_one_option_or_in_two() {
    let launch = launch(
        &[
            "--module-path",
            "a:b",
            "-p",
            "c",
            "--patch-module",
            "m=d:e",
            "--module-path=f",
            "--patch-module=m=g",
            "--add-modules",
            "h",
            "-ea",
        ],
        &[],
    );
    assert_eq!(paths_of_modules(&launch), ["a", "b", "c", "d", "e", "f", "g"]);
}
