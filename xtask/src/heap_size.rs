//! What a walk costs against the size of the heap: a small project (`bench/heap`) whose static fields hold 10^4 to 10^7
//! references, in several shapes, and whose tests do nothing, or change or add one object each.

use crate::jdks::Jdk;
use crate::measured::{self, Capture, Pass};
use crate::process::Program;
use crate::{Failure, Outcome, root, say};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use unflake_protocol::HeapMeasured;

/// References of one static field, as `HeapTest` has it.
const PER_FIELD: u64 = 10_000;
/// As `HeapTest` repeats its test.
const TESTS: f64 = 20.0;
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// What the fields hold, and what each test does to an object of it.
const SHAPES: [(&str, Option<&str>); 7] = [
    ("links", None),
    ("arrays", None),
    ("maps", None),
    ("links", Some("changed")),
    ("links", Some("added")),
    ("arrays", Some("changed")),
    ("maps", Some("changed")),
];

/// Where and with what it is measured.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) java: &'a Jdk,
    pub(crate) dir: &'a Path,
    pub(crate) program: &'a Path,
    pub(crate) times: usize,
    pub(crate) most: u64,
}

/// The table of all shapes and sizes.
pub(crate) fn table(plan: &Plan<'_>) -> Outcome<String> {
    let project = prepare(plan)?;
    let mut out = String::from(
        "| heap | references | objects | ms per test | fastest walk | ns per reference | bytes per reference | at most | peak memory without | with | × |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (shape, change) in SHAPES {
        for size in SIZES.into_iter().filter(|size| *size <= plan.most) {
            let name = match change {
                Some(change) => format!("{shape}, one {change}"),
                None => shape.to_owned(),
            };
            say(format!("{name}, {size} references"));
            let passes = measure(plan, &project, shape, change.unwrap_or("none"), size)?;
            out.push_str(&row(&name, size, &passes));
        }
    }
    Ok(out)
}

fn measure(plan: &Plan<'_>, project: &Path, shape: &str, change: &str, size: u64) -> Outcome<Vec<Pass>> {
    let arguments = format!("-DargLine=-Dheap.shape={shape} -Dheap.references={size} -Dheap.change={change}");
    measured::run(&measured::Request {
        program: plan.program,
        project,
        java: plan.java,
        store: &plan.dir.join("heap.store"),
        log: &plan.dir.join("logs/heap.log"),
        captures: &[Capture::None, Capture::Whole],
        times: plan.times,
        // The sizes are those of one JVM.
        options: &["--jobs", "1"],
        build_arguments: &["-B", "-o", &arguments],
    })
}

fn row(name: &str, size: u64, passes: &[Pass]) -> String {
    let watched = passes.iter().find(|pass| pass.capture == Capture::Whole);
    let Some(heap) = watched.and_then(|pass| pass.heaps().next()) else {
        return format!("| {name} | {size} | the JVM did not come to its end |\n");
    };
    let memory = |capture| measured::median_of(passes, capture, Pass::peak_memory).unwrap_or(0.0);
    let (without, with) = (memory(Capture::None), memory(Capture::Whole));
    let of_heap = |figure: fn(&HeapMeasured) -> f64| {
        measured::median_of(passes, Capture::Whole, |pass| pass.heaps().map(figure).sum()).unwrap_or(0.0)
    };
    let references = heap.references.max(1) as f64;
    let (nanos, fastest) = (
        of_heap(|heap| heap.nanos as f64),
        of_heap(|heap| heap.fastest_nanos as f64),
    );
    let mut row = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        row,
        "| {name} | {} | {} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.0} MB | {:.0} MB | {:.2} |",
        heap.references,
        heap.objects,
        nanos / 1e6 / TESTS,
        fastest / 1e6,
        fastest / references,
        heap.held as f64 / references,
        heap.most_held as f64 / references,
        without / 1e6,
        with / 1e6,
        with / without,
    );
    row
}

/// The project, with as many static fields as the largest size needs, compiled once.
fn prepare(plan: &Plan<'_>) -> Outcome<PathBuf> {
    let project = plan.dir.join("heap");
    let from = root().join("bench/heap");
    let java = Path::new("src/test/java/heap");
    fs::create_dir_all(project.join(java)).map_err(|e| Failure::io("cannot create", &project, &e))?;
    for file in [
        Path::new("pom.xml"),
        &java.join("Graph.java"),
        &java.join("HeapTest.java"),
    ] {
        fs::copy(from.join(file), project.join(file)).map_err(|e| Failure::io("cannot copy", file, &e))?;
    }
    let fields = project.join(java).join("Fields.java");
    fs::write(&fields, fields_class(SIZES[SIZES.len() - 1] / PER_FIELD))
        .map_err(|e| Failure::io("cannot write", &fields, &e))?;
    Program::new("mvn")
        .args(["-B", "test"])
        .dir(&project)
        .env("JAVA_HOME", &plan.java.home)
        .env_remove("JAVA_TOOL_OPTIONS")
        .log(&plan.dir.join("logs/heap-prepare.log"))
        .succeed()?;
    Ok(project)
}

fn fields_class(count: u64) -> String {
    let fields: String = (0..count).map(|i| format!("    static Object f{i};\n")).collect();
    format!("package heap;\n\nfinal class Fields {{\n{fields}}}\n")
}
