//! `unflake replay`: repeats a failure from what the run stored, alone or with what it needs: with everything varied as
//! it was, or with some choices only, and for a debugger.

use crate::exit::ExitCode;
use crate::settings::ReplaySettings;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use unflake_check::drive::driver::{DrivenJvm, Driver};
use unflake_check::drive::orders::exact;
use unflake_check::drive::patience::Patience;
use unflake_check::drive::scripts::{ScriptJvms, Subject};
use unflake_check::drive::transcript::JvmEnd;
use unflake_check::vary::outcome_in_build;
use unflake_check::{Named, StoredRun};
use unflake_check::{Problem, not_implementation_dependent, problem};
use unflake_explore::Verdict;
use unflake_findings::{Cause, CauseStatus, Details, Finding};
use unflake_project::{Build, BuildError, BuildRequest};
use unflake_protocol::{
    ChoiceId, Configuration, Failure, FailureSort, Form, Handle, Level, Outcome, Record, Role, Script,
    Strategy,
};
use unflake_runner::{Launch, Work};

pub(crate) fn run(settings: ReplaySettings) -> Result<ExitCode, Problem> {
    let (opened, interrupt) = super::open(&settings.place, Some(&settings.wanted))?;
    let named = opened.named(&settings.wanted, &settings.place.project)?;
    let subject = Replayed::new(&opened, &named, &settings)?;
    if let Some(port) = settings.jdwp {
        must_be_free(port)?;
    }
    say(&subject.heading());
    let mut failed = 0;
    for time in 1..=settings.times {
        let outcome = subject.once();
        if let Some(code) = interrupt.exit_code() {
            return Ok(code);
        }
        match outcome? {
            Some(failure) => {
                failed += 1;
                if time == 1 || settings.screen.verbose > 0 {
                    say(&shown(&failure));
                }
            }
            None if settings.times == 1 => say("it passes\n"),
            None => {}
        }
    }
    if settings.times > 1 {
        say(&format!("failed {failed} of {}\n", settings.times));
    }
    Ok(if failed > 0 {
        ExitCode::Findings
    } else {
        ExitCode::Clean
    })
}

/// What is repeated, and how.
struct Replayed<'a> {
    settings: &'a ReplaySettings,
    opened: &'a StoredRun,
    name: String,
    /// The last is the one in question.
    tests: Vec<Handle>,
    /// The scopes whose choices vary; empty: all.
    only: Vec<String>,
    hangs: bool,
    launch: Option<&'a Launch>,
    /// `None`: the order of the tests is what matters.
    strategy: Option<Strategy>,
    cause: Option<&'a Cause>,
}

impl<'a> Replayed<'a> {
    fn new(
        opened: &'a StoredRun,
        named: &'a Named,
        settings: &'a ReplaySettings,
    ) -> Result<Replayed<'a>, Problem> {
        match named {
            Named::Finding(finding) => {
                let victims = finding.details.effect().map_or(&[][..], |effect| effect.victims);
                let (strategy, cause) = match &finding.details {
                    Details::ImplementationDependent { strategy, cause, .. } => {
                        (Some(*strategy), Some(cause))
                    }
                    Details::Victim(_) | Details::Brittle(_)
                        if settings.choices.is_empty() && !settings.stop =>
                    {
                        (None, None)
                    }
                    // With a victim behind it, that one fails again.
                    Details::Polluter(_) | Details::FilePolluter(_) => {
                        let is_whole = settings.choices.is_empty() && !settings.stop;
                        if !is_whole || victims.is_empty() {
                            return Err(no_failure(finding));
                        }
                        (None, None)
                    }
                    _ => return Err(not_implementation_dependent(finding)),
                };
                let replay = opened.replays.get(finding.id.as_str()).ok_or_else(|| {
                    problem!(
                        CannotWork,
                        "the run `{}` did not keep what is needed to replay `{}`",
                        opened.run.id().as_str(),
                        finding.id.as_str()
                    )
                    .hint("run `unflake check` again")
                })?;
                let fails = victims.first().map(|victim| &victim.test);
                Ok(Replayed {
                    settings,
                    opened,
                    name: fails.unwrap_or(&finding.test).to_string(),
                    tests: opened.session.suite.handles(&replay.tests),
                    only: opened.session.suite.own_scopes(&replay.tests),
                    hangs: finding.failure == Some(FailureSort::Hang),
                    launch: replay
                        .launch
                        .map(|launch| opened.session.built(launch))
                        .transpose()?,
                    strategy,
                    cause,
                })
            }
            Named::Test(test) if settings.choices.is_empty() => Err(problem!(
                NoTest,
                "`{}` did not fail in the run `{}`",
                opened.session.suite[*test].id.test,
                opened.run.id().as_str()
            )
            .hint("`--choices 1` varies one of its choices anyway")),
            Named::Test(test) => {
                let known = &opened.session.suite[*test];
                Ok(Replayed {
                    settings,
                    opened,
                    name: known.id.to_string(),
                    tests: vec![known.handle.clone()],
                    only: Vec::new(),
                    hangs: false,
                    launch: known
                        .launch
                        .map(|launch| opened.session.built(launch))
                        .transpose()?,
                    strategy: Some(Strategy {
                        level: Level::Full,
                        form: Form::Reverse,
                    }),
                    cause: None,
                })
            }
        }
    }

    fn heading(&self) -> String {
        let bold = Style::new().bold();
        let Some(strategy) = self.strategy else {
            return self.order();
        };
        let with = match self.tests.len().saturating_sub(1) {
            0 => "alone".to_owned(),
            1 => "after 1 other test".to_owned(),
            more => format!("after {more} other tests"),
        };
        let what = match self.choices() {
            [] => String::new(),
            some => format!(", choices {} only", numbers(some)),
        };
        format!("{bold}{}{bold:#}  {with}, varied: {strategy}{what}\n", self.name)
    }

    /// The tests that run before it, by name.
    fn order(&self) -> String {
        let bold = Style::new().bold();
        let name = |handle: &Handle| {
            let known = self
                .opened
                .session
                .suite
                .tests
                .iter()
                .find(|test| test.handle == *handle);
            known.map_or_else(|| handle.id.clone(), |test| test.id.to_string())
        };
        let before: Vec<String> = self.tests[..self.tests.len().saturating_sub(1)]
            .iter()
            .map(name)
            .collect();
        match &before[..] {
            [] => format!("{bold}{}{bold:#}  alone, nothing varied\n", self.name),
            [one] => format!("{bold}{}{bold:#}  after {one}, nothing varied\n", self.name),
            more => {
                let lines: String = more.iter().map(|name| format!("  {name}\n")).collect();
                format!(
                    "{bold}{}{bold:#}  after these tests, nothing varied:\n{lines}",
                    self.name
                )
            }
        }
    }

    /// The numbers of the choices that vary; empty: all.
    fn choices(&self) -> &[u32] {
        &self.settings.choices
    }

    /// The failure, or `None` if the test passes.
    fn once(&self) -> Result<Option<Failure>, Problem> {
        match self.launch {
            Some(launch) => self.directly(launch),
            None if self.choices().is_empty() && self.settings.jdwp.is_none() => self.through_build(),
            None => Err(problem!(
                CannotWork,
                "`{}` fails only when the build tool runs it, so it can only be repeated as a whole",
                self.name
            )
            .hint("leave out `--choices` and `--jdwp`")),
        }
    }

    fn directly(&self, launch: &Launch) -> Result<Option<Failure>, Problem> {
        let subject = Subject {
            launch,
            tests: &self.tests,
            strategy: self.strategy,
            only: &self.only,
            silence: None,
        };
        let scripted = if self.choices().is_empty() && !self.settings.stop {
            None
        } else {
            Some(self.script(subject)?)
        };
        let is_warm = scripted.is_some() && self.is_warm();
        if let Some(port) = self.settings.jdwp {
            self.invite(port, is_warm);
        }
        let driver = self.driver();
        let jvms = self.jvms(&driver);
        let mut worker = start(&jvms, subject)?;
        if is_warm {
            unvaried(&jvms, &mut worker, subject);
        }
        let (script, record) = scripted.unzip();
        let record = record.unwrap_or_default();
        let (probed, _) = jvms.run(&mut worker, subject, script.as_ref(), &record);
        match probed.verdict {
            Verdict::Failed(failure) => Ok(Some(failure)),
            Verdict::Passed | Verdict::Cancelled => Ok(None),
            Verdict::NotRun => Err(not_found(self.tests.last())),
        }
    }

    /// Tells where a debugger can attach.
    fn invite(&self, port: u16, is_warm: bool) {
        let what = match (self.settings.stop, is_warm) {
            (true, _) => "stops at the choice",
            (false, true) => "waits for it, and runs once unvaried first",
            (false, false) => "waits for it",
        };
        say(&format!(
            "a debugger can attach to 127.0.0.1:{port}; the test {what}\n"
        ));
        let is_8 = |java: &String| java.starts_with("1.8");
        if self.settings.stop && self.opened.document.summary.java.iter().any(is_8) {
            // JDK-8317920: the event that wakes the debugger has no exception in it. Never repaired in Java 8.
            say("jdb on Java 8 prints an exception of its own there; `where all` and `resume` still work\n");
        }
    }

    fn jvms<'t>(&'t self, driver: &'t Driver) -> ScriptJvms<'t> {
        ScriptJvms {
            driver,
            work: Work::Short,
            patience: if self.settings.jdwp.is_some() {
                Patience::debugging()
            } else if self.hangs {
                Patience::checking(None)
            } else {
                Patience::replaying()
            },
        }
    }

    /// Whether choices are counted in a run that follows an unvaried one in the same JVM, as they were for the cause.
    fn is_warm(&self) -> bool {
        let found = |cause: &&Cause| cause.status == CauseStatus::Found;
        self.cause.filter(found).is_none_or(|cause| cause.warm)
    }

    /// Finds out which choices the numbers mean: those of a run in which everything varies, in a JVM of its own, for a
    /// debugger has no business there.
    fn script(&self, subject: Subject<'_>) -> Result<(Script, Record), Problem> {
        let wanted = self.wanted()?;
        let driver = self.opened.session.driver().clone();
        let jvms = self.jvms(&driver);
        let mut worker = start(&jvms, subject)?;
        if self.is_warm() {
            unvaried(&jvms, &mut worker, subject);
        }
        let record = Record {
            choices: true,
            ..Record::default()
        };
        let (probed, _) = jvms.run(&mut worker, subject, None, &record);
        if probed.verdict == Verdict::NotRun {
            return Err(not_found(self.tests.last()));
        }
        // Numbered as the cause's are: by scope, thread and call.
        let mut all: Vec<ChoiceId> = probed.choices.iter().map(|chosen| chosen.id).collect();
        all.sort_unstable();
        all.dedup();
        let count = all.len();
        let wanted: BTreeSet<ChoiceId> = (wanted.iter())
            .map(|number| {
                let index = (*number as usize).checked_sub(1);
                index.and_then(|index| all.get(index)).copied().ok_or_else(|| {
                    problem!(Usage, "there is no choice {number}: the test makes {count}")
                        .hint("choices are counted from 1; `unflake debug` names the ones that matter")
                })
            })
            .collect::<Result<_, _>>()?;
        let script = if self.choices().is_empty() {
            Script::VARIED
        } else {
            Script::only(&all, |index| wanted.contains(&all[index]))
        };
        let record = Record {
            evidence: if self.settings.stop {
                wanted.into_iter().collect()
            } else {
                Vec::new()
            },
            stop: self.settings.stop,
            ..Record::default()
        };
        Ok((script, record))
    }

    /// The numbers of the choices that vary or are stopped at: those that were named, else those of the cause.
    fn wanted(&self) -> Result<Vec<u32>, Problem> {
        if !self.choices().is_empty() {
            return Ok(self.choices().to_vec());
        }
        // Identity hashes are a cause without a number.
        let of_cause: Vec<u32> = (self.cause.iter().flat_map(|cause| &cause.choices))
            .map(|choice| choice.number)
            .filter(|number| *number > 0)
            .collect();
        if of_cause.is_empty() {
            return Err(problem!(Usage, "there is no known choice to stop at")
                .hint("find the cause first with `unflake debug`, or name choices with `--choices`"));
        }
        Ok(of_cause)
    }

    fn driver(&self) -> Driver {
        let plain = self.opened.session.driver().clone();
        let driver = if self.strategy.is_none() {
            exact(&plain)
        } else {
            plain
        };
        let Some(port) = self.settings.jdwp else {
            return driver;
        };
        // A debugger cannot reach a port that is not of this machine.
        let driver = driver.outside();
        // With `onthrow` the debugger's side of the JVM wakes up where the runtime throws this.
        let when = if self.settings.stop {
            ",onthrow=java.util.UnflakeStop,launch=/bin/true"
        } else {
            ""
        };
        let option = format!(
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=127.0.0.1:{port}{when}"
        );
        driver
            .with_options([option])
            .starting_within(Patience::debugging())
    }

    fn through_build(&self) -> Result<Option<Failure>, Problem> {
        let place = &self.settings.place;
        let build = Build::find(&place.project, std::env::var_os("PATH").as_deref())
            .map_err(|error| problem!(CannotWork, "{error}").hint(error.hint()))?;
        let session = &self.opened.session;
        let configuration = Configuration {
            role: Role::Build,
            strategy: self.strategy,
            ..session.configuration.clone()
        };
        let tools = session.driver().tools();
        let Some(target) = self.tests.last() else {
            return Err(not_found(None));
        };
        let class = target.root.split('$').next().unwrap_or_default().to_owned();
        let selected = build.tool.select(&[class]).into_iter();
        let arguments: Vec<String> = session.build_arguments.iter().cloned().chain(selected).collect();
        let request = BuildRequest {
            build: &build,
            agent: &tools.agent,
            configuration: &configuration,
            arguments: &arguments,
            java_home: place.java.as_deref(),
            scratch: &tools.scratch,
            until: None,
            silence: Patience::learning(None),
            children: &tools.children,
            cancel: &tools.cancel,
        };
        let run = match request.run(|_| {}) {
            Ok(run) => run,
            Err(BuildError::Cancelled { .. }) => return Ok(None),
            Err(error) => return Err(unflake_check::build_problem(error, &build)),
        };
        match outcome_in_build(run, target) {
            Some(Outcome::Failed(failure)) => Ok(Some(failure)),
            Some(Outcome::Passed) => Ok(None),
            Some(Outcome::Skipped { .. }) | None => Err(not_found(Some(target))),
        }
    }
}

fn start(jvms: &ScriptJvms<'_>, subject: Subject<'_>) -> Result<DrivenJvm, Problem> {
    jvms.start(subject).map_err(|end| {
        let problem = problem!(CannotWork, "cannot start the test JVM again");
        let problem = match end {
            JvmEnd::Broken(error) => problem.cause(error),
            _ => problem,
        };
        problem.hint("run `unflake check` again: the project or its JDK may have changed")
    })
}

/// Loads what the test needs, so that the choices which that makes are not among those of the next run.
fn unvaried(jvms: &ScriptJvms<'_>, worker: &mut DrivenJvm, subject: Subject<'_>) {
    let unvaried = Subject {
        strategy: None,
        ..subject
    };
    jvms.run(worker, unvaried, None, &Record::default());
}

fn must_be_free(port: u16) -> Result<(), Problem> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(error) => Err(
            problem!(CannotWork, "port {port} cannot be used for the debugger")
                .cause(error)
                .hint("name another one: `--jdwp PORT`"),
        ),
    }
}

fn not_found(target: Option<&Handle>) -> Problem {
    let name = target.map(|target| target.id.as_str()).unwrap_or_default();
    problem!(CannotWork, "the test `{name}` can no longer be found")
        .hint("run `unflake check` again: the project has changed")
}

/// `3, 17-20`
fn numbers(numbers: &[u32]) -> String {
    let ranges = numbers.chunk_by(|a, b| a + 1 == *b).map(|range| match range {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(u32::to_string).collect(),
    });
    ranges.collect::<Vec<_>>().join(", ")
}

fn shown(failure: &Failure) -> String {
    let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
    let dim = Style::new().dimmed();
    let trace = if failure.trace.is_empty() {
        format!("{}: {}", failure.kind, failure.message)
    } else {
        failure.trace.clone()
    };
    let mut lines = trace.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("{dim}{line}{dim:#}\n")).collect();
    format!("{red}it fails{red:#}\n{first}\n{rest}")
}

fn say(text: &str) {
    // If standard output is closed, there is nowhere to report it.
    let _ = anstream::stdout().write_all(text.as_bytes());
}
/// A polluter without victims makes nothing fail; that it changes something can be seen again.
fn no_failure(finding: &Finding) -> Problem {
    problem!(
        Usage,
        "`{}` is a polluter without a known victim, so there is no failure to repeat",
        finding.id.as_str()
    )
    .hint(format!("run `{}` to see again what it changes", finding.replay))
}
