//! Repairs: patches as a person reads them, and the texts that go with a patch to a maintainer.

use crate::text::{FAINT, STRONG, label, named, plural, printable};
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write as _};
use unflake_findings::{
    Choice, Details, Document, Finding, FindingId, Pollution, RepairCandidate, RepairGroup, RepairStatus,
    Safety,
};
use unflake_protocol::{Level, StateKind, TestId};

const ADDED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const REMOVED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const PLACE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));

/// Tests of one patch that are named; the others are counted.
const NAMED: usize = 3;

/// What `unflake fix` did about these findings. `verbose`: the patches that were not chosen, too.
pub fn repairs_text(document: &Document, findings: &[&Finding], verbose: bool) -> String {
    let mut text = String::new();
    for group in &document.repairs {
        write_group(&mut text, document, group, verbose).expect("a string takes everything");
    }
    text + &repairs_summary(document, findings, verbose)
}

/// The same without the patches, for somebody who has seen them.
pub fn repairs_summary(document: &Document, findings: &[&Finding], verbose: bool) -> String {
    let mut text = String::new();
    write_summary(&mut text, document, findings, verbose).expect("a string takes everything");
    text
}

/// One patch, with its reason and its proof.
pub fn patch_text(document: &Document, candidate: &RepairCandidate, verbose: bool) -> String {
    let mut text = String::new();
    write_candidate(&mut text, document, candidate, true, verbose).expect("a string takes everything");
    text
}

fn write_summary(
    text: &mut String,
    document: &Document,
    findings: &[&Finding],
    verbose: bool,
) -> fmt::Result {
    let unrepaired = findings
        .iter()
        .filter(|finding| finding.repair().status == RepairStatus::Unrepaired);
    for finding in unrepaired {
        let why = finding.repair().reason.as_deref().unwrap_or_default();
        writeln!(
            text,
            "{REMOVED}not repaired{REMOVED:#} {STRONG}{}{STRONG:#}",
            named(&finding.test)
        )?;
        writeln!(text, "    {}{}", label("reason"), printable(why))?;
        write_tried(text, finding, verbose)?;
        write_suggestion(text, document, finding)?;
        writeln!(text)?;
    }
    if document.summary.partial {
        writeln!(
            text,
            "{REMOVED}partial:{REMOVED:#} the run ended before everything was done"
        )?;
    }
    let count = |status| {
        findings
            .iter()
            .filter(|finding| finding.repair().status == status)
            .count()
    };
    let (repaired, offered) = (count(RepairStatus::Repaired), count(RepairStatus::Offered));
    write!(
        text,
        "{repaired} of {} repaired",
        plural(findings.len(), "finding")
    )?;
    if offered > 0 {
        write!(text, ", {offered} more offered")?;
    }
    writeln!(text)
}

/// What is shown where nothing was repaired; under the first of its tests with the diff.
fn write_suggestion(text: &mut String, document: &Document, finding: &Finding) -> fmt::Result {
    let is_its = |candidate: &&RepairCandidate| {
        candidate.safety == Safety::Suggestion && candidate.repairs.contains(&finding.id)
    };
    let all = document.repairs.iter().flat_map(|group| &group.candidates);
    let Some(candidate) = all.into_iter().find(is_its) else {
        return Ok(());
    };
    let why = printable(&candidate.why);
    writeln!(text, "    {PLACE}a suggestion:{PLACE:#} {why}")?;
    if candidate.repairs.first() != Some(&finding.id) {
        let tests = tests_of(document, candidate);
        let first = tests.first().map_or("", String::as_str);
        return writeln!(text, "    {}that of {first}", label("diff"));
    }
    writeln!(text, "    {}{}", label("proof"), proved(document, candidate))?;
    write_diff(text, &candidate.patch)
}

fn write_group(text: &mut String, document: &Document, group: &RepairGroup, verbose: bool) -> fmt::Result {
    let patches = group.candidates.iter().enumerate();
    for (index, candidate) in patches.filter(|(_, candidate)| candidate.safety != Safety::Suggestion) {
        let is_chosen = group.chosen == Some(index);
        if is_chosen || group.chosen.is_none() || verbose {
            write_candidate(text, document, candidate, is_chosen, verbose)?;
        } else {
            let more = format!(
                "another patch, of {}, repairs {} too; `-v` shows it",
                touches(candidate.safety),
                plural(candidate.repairs.len(), "test")
            );
            writeln!(text, "{FAINT}    {more}{FAINT:#}\n")?;
        }
    }
    Ok(())
}

fn write_candidate(
    text: &mut String,
    document: &Document,
    candidate: &RepairCandidate,
    is_chosen: bool,
    verbose: bool,
) -> fmt::Result {
    let tests = tests_of(document, candidate);
    let first = tests.first().map_or("", String::as_str);
    let (word, style) = if is_chosen {
        ("repaired", ADDED)
    } else {
        ("offered", PLACE)
    };
    writeln!(text, "{style}{word}{style:#} {STRONG}{first}{STRONG:#}")?;
    for test in tests.iter().skip(1).take(NAMED - 1) {
        writeln!(text, "    {}{test}", label("and"))?;
    }
    if tests.len() > NAMED {
        writeln!(text, "    {}{} more", label("and"), tests.len() - NAMED)?;
    }
    writeln!(text, "    {}{}", label("patch"), printable(&candidate.why))?;
    writeln!(text, "    {}{}", label("touches"), touches(candidate.safety))?;
    let mut proved = proved(document, candidate);
    let module = candidate.proof.module;
    if is_chosen && module > 0 {
        let _ = write!(
            proved,
            ", {} passed with all patches",
            plural(module as usize, "test")
        );
    }
    writeln!(text, "    {}{proved}", label("proof"))?;
    for finding in candidate.repairs.iter().filter_map(|id| finding(document, id)) {
        write_tried(text, finding, verbose)?;
    }
    write_diff(text, &candidate.patch)?;
    writeln!(text)
}

/// What ran with a patch alone.
fn proved(document: &Document, candidate: &RepairCandidate) -> String {
    let proof = candidate.proof;
    let passed = match spill(document, candidate) {
        Some(_) => format!(
            "{} passed in orders that failed",
            plural(proof.orders as usize, "run")
        ),
        None => format!("{} passed", plural(proof.rounds as usize, "varied run")),
    };
    if proof.mutants == 0 {
        return passed;
    }
    format!(
        "{passed}, {} with a mistake failed",
        plural(proof.mutants as usize, "variant")
    )
}

/// What did not work, for whoever wants to know everything.
fn write_tried(text: &mut String, finding: &Finding, verbose: bool) -> fmt::Result {
    for tried in finding.repair().tried.iter().filter(|_| verbose) {
        let (strategy, why) = (printable(&tried.strategy), printable(&tried.why));
        writeln!(text, "    {}{strategy}: {why}", label("tried"))?;
    }
    Ok(())
}

fn write_diff(text: &mut String, patch: &str) -> fmt::Result {
    for line in patch.lines() {
        let style = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") => STRONG,
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            Some(b'@') => PLACE,
            _ => Style::new(),
        };
        writeln!(text, "{style}{}{style:#}", printable(line.trim_end_matches('\r')))?;
    }
    Ok(())
}

fn touches(safety: Safety) -> &'static str {
    match safety {
        Safety::Test => "test code only",
        Safety::Main => "main code",
        Safety::Dependency => "the build file: it adds a library",
        Safety::Suggestion => "nothing: it is a suggestion",
    }
}

fn finding<'d>(document: &'d Document, id: &FindingId) -> Option<&'d Finding> {
    document.findings.iter().find(|finding| finding.id == *id)
}

/// The tests of a patch, each once: a test that is its own victim has two findings.
fn tests_of(document: &Document, candidate: &RepairCandidate) -> Vec<String> {
    let mut tests: Vec<String> = Vec::new();
    for finding in candidate.repairs.iter().filter_map(|id| finding(document, id)) {
        let name = named(&finding.test);
        if !tests.contains(&name) {
            tests.push(name);
        }
    }
    tests
}

/// A state that one test leaves behind, and a test that fails because of it.
struct Spill<'d> {
    polluter: &'d Finding,
    state: &'d Pollution,
    victim: Option<&'d TestId>,
}

/// What a patch keeps away from other tests. `None`: it is about something else.
fn spill<'d>(document: &'d Document, candidate: &RepairCandidate) -> Option<Spill<'d>> {
    let repaired = || candidate.repairs.iter().filter_map(|id| finding(document, id));
    let (polluter, state) = repaired().find_map(|finding| match &finding.details {
        Details::Polluter(state) => Some((finding, state)),
        _ => None,
    })?;
    let of_finding = repaired().find(|finding| matches!(finding.details, Details::Victim(_)));
    let of_state = state.victims.first().map(|victim| &victim.test);
    Some(Spill {
        polluter,
        state,
        victim: of_state.or(of_finding.map(|finding| &finding.test)),
    })
}

impl Spill<'_> {
    /// What is changed: `Basket.ITEMS`.
    fn what(&self) -> String {
        let short = self.state.held_by.rsplit('.').take(2).collect::<Vec<_>>();
        match self.state.state {
            StateKind::Heap => short.into_iter().rev().collect::<Vec<_>>().join("."),
            _ => self.state.path.clone(),
        }
    }

    /// What happens, for a commit message.
    fn story(&self) -> String {
        let or_nothing = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        let mut text = format!(
            "`{}` leaves `{}` changed: {} → {}.",
            named(&self.polluter.test),
            self.state.path,
            or_nothing(&self.state.old),
            or_nothing(&self.state.new)
        );
        if let Some(victim) = self.victim {
            let _ = write!(text, " After it, `{}` fails.", named(victim));
        }
        text
    }
}

/// The choice that is blamed for the first finding of a patch.
fn blamed<'d>(document: &'d Document, candidate: &RepairCandidate) -> Option<&'d Choice> {
    let finding = finding(document, candidate.repairs.first()?)?;
    match &finding.details {
        Details::ImplementationDependent { cause, .. } => cause.choices.first(),
        _ => None,
    }
}

/// Said of tests that fail only if one unchanged object gives two orders: many maintainers do not want these repaired.
fn needs_two_orders(document: &Document, candidate: &RepairCandidate) -> Option<String> {
    let levels: Vec<Level> = candidate
        .repairs
        .iter()
        .filter_map(|id| finding(document, id))
        .filter_map(|finding| match &finding.details {
            Details::ImplementationDependent { level, .. } => Some(*level),
            _ => None,
        })
        .collect();
    let n_full = levels.iter().filter(|level| **level == Level::Full).count();
    let who = match (n_full, levels.len()) {
        (0, _) => return None,
        (1, 1) => "The test fails".to_owned(),
        (full, all) if full == all => "The tests fail".to_owned(),
        (1, all) => format!("One of the {all} tests fails"),
        (full, all) => format!("{full} of the {all} tests fail"),
    };
    Some(format!(
        "{who} only if one unchanged object gives its elements in two different orders. The documentation allows \
         that; this JDK does not do it."
    ))
}

/// A commit message for a patch.
pub fn commit_message(document: &Document, candidate: &RepairCandidate) -> String {
    let tests = tests_of(document, candidate);
    let class = |test: &str| {
        test.split('#')
            .next()
            .unwrap_or(test)
            .rsplit('.')
            .next()
            .unwrap_or(test)
            .to_owned()
    };
    let spill = spill(document, candidate);
    let subject = match (&spill, &tests[..]) {
        (Some(spill), _) => format!(
            "{} leaves {} as it was",
            class(&spill.polluter.test.test),
            spill.what()
        ),
        (None, [one]) => format!("{} no longer depends on an unspecified order", class(one)),
        (None, _) => format!(
            "{} no longer depend on an unspecified order",
            plural(tests.len(), "test")
        ),
    };
    let mut text = format!("{subject}\n");
    if let Some(spill) = &spill {
        let _ = write!(text, "\n{}\n", spill.story());
    }
    if let Some(choice) = blamed(document, candidate) {
        let _ = write!(
            text,
            "\n{} may return its elements in any order: “{}”\n",
            choice.api,
            choice.javadoc.trim()
        );
    }
    if let Some(sentence) = needs_two_orders(document, candidate) {
        let _ = write!(text, "\n{sentence}\n");
    }
    let _ = write!(text, "\nThe patch: {}.\n\nTests:\n", candidate.why);
    for test in tests {
        let _ = writeln!(text, "- {test}");
    }
    text
}

/// The text of a pull request for a patch, in Markdown, with the evidence that maintainers ask for.
pub fn pull_request(document: &Document, candidate: &RepairCandidate) -> String {
    let mut text = commit_message(document, candidate);
    let first = candidate.repairs.first().and_then(|id| finding(document, id));
    if let (Some(finding), Some(choice)) = (first, blamed(document, candidate)) {
        let _ = write!(
            text,
            "\n## How to see it\n\nThe test `{}` passes",
            named(&finding.test)
        );
        if !choice.natural.is_empty() {
            let _ = write!(
                text,
                " with the order that this JDK happens to give:\n\n    {}\n",
                choice.natural.join(", ")
            );
            let _ = write!(
                text,
                "\nand fails with another one, which the documentation allows as well:\n\n    {}\n",
                choice.failing.join(", ")
            );
        } else {
            text.push_str(
                " with what this JDK happens to return, and fails with what another one may return.\n",
            );
        }
        if let Some(call) = &choice.call {
            let _ = write!(
                text,
                "\nThe order is used in `{}`, line {}.\n",
                call.file, call.line
            );
        }
        let _ = write!(
            text,
            "\n    {}\n\nrepeats the failure (seed {}).\n",
            finding.replay, document.summary.seed
        );
    }
    let proof = candidate.proof;
    if let Some(spill) = spill(document, candidate) {
        write_spill(&mut text, &spill, candidate);
        return text;
    }
    let _ = write!(
        text,
        "\n## Proof\n\nWith the patch, the tests passed {} with other orders",
        plural(proof.rounds as usize, "run")
    );
    if proof.mutants > 0 {
        let _ = write!(
            text,
            ", and {} of the changed assertions with a deliberate mistake failed as they should",
            plural(proof.mutants as usize, "variant")
        );
    }
    text.push_str(".\n");
    text
}

/// How to see that a test harms another one, and what proves the patch.
fn write_spill(text: &mut String, spill: &Spill<'_>, candidate: &RepairCandidate) {
    if let Some(victim) = spill.victim {
        let _ = write!(
            text,
            "\n## How to see it\n\nIn this order the second test fails; without the first one it passes:\n\n    \
             {}\n    {}\n",
            named(&spill.polluter.test),
            named(victim)
        );
    }
    if !spill.state.victims.is_empty() {
        let _ = write!(text, "\n    {}\n\nrepeats the failure.\n", spill.polluter.replay);
    }
    let _ = write!(
        text,
        "\n## Proof\n\nWith the patch, {} in orders that failed before passed. All tests of the module passed in \
         their own order and in reversed order as they do without it.\n",
        plural(candidate.proof.orders as usize, "run")
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::samples::{polluter, victim};
    use crate::text::tests::{document, finding, without_colour};
    use unflake_findings::{Repair, RepairProof, Suffering, TriedRepair};

    /// Two findings: one with a patch of test code and one of main code, one without any.
    fn repaired() -> Document {
        let mut first = finding("shop.CartTest#lists", Level::One, "a");
        let mut second = finding("shop.CartTest#sums", Level::One, "b");
        *first.repair_mut() = Repair {
            status: RepairStatus::Repaired,
            repair: Some("r-1".to_owned()),
            ..Repair::default()
        };
        *second.repair_mut() = Repair {
            status: RepairStatus::Unrepaired,
            reason: Some("no strategy fits this failure".to_owned()),
            repair: None,
            tried: vec![TriedRepair {
                strategy: "linked-hash".to_owned(),
                why: "the test still fails with other orders".to_owned(),
            }],
        };
        let id = first.id.clone();
        let mut document = document(vec![first, second]);
        let candidate = |safety, why: &str| RepairCandidate {
            strategy: "compare-values".to_owned(),
            safety,
            why: why.to_owned(),
            files: vec!["A.java".to_owned()],
            patch: "--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-old\n+new\n".to_owned(),
            proof: RepairProof {
                mutants: 5,
                rounds: 23,
                orders: 0,
                module: 8,
                time: 1.0,
            },
            repairs: vec![id.clone()],
        };
        document.repairs = vec![RepairGroup {
            id: "r-1".to_owned(),
            findings: vec![id.clone()],
            candidates: vec![
                candidate(Safety::Test, "compare values"),
                candidate(Safety::Main, "sort fields"),
            ],
            chosen: Some(0),
        }];
        document
    }

    fn shown(verbose: bool) -> String {
        let document = repaired();
        let findings: Vec<&Finding> = document.findings.iter().collect();
        without_colour(&repairs_text(&document, &findings, verbose))
    }

    #[test]
    fn chosen_patches_are_shown_with_their_proof_and_the_rest_with_its_reason() {
        assert_eq!(
            shown(false),
            "repaired shop.CartTest#lists\n    \
             patch    compare values\n    \
             touches  test code only\n    \
             proof    23 varied runs passed, 5 variants with a mistake failed, 8 tests passed with all patches\n\
             --- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-old\n+new\n\n    \
             another patch, of main code, repairs 1 test too; `-v` shows it\n\n\
             not repaired shop.CartTest#sums\n    \
             reason   no strategy fits this failure\n\n\
             1 of 2 findings repaired\n"
        );
        let all = shown(true);
        assert!(
            all.contains("offered shop.CartTest#lists\n    patch    sort fields"),
            "{all}"
        );
        assert!(
            all.contains("tried    linked-hash: the test still fails"),
            "{all}"
        );
    }

    #[test]
    fn a_suggestion_stands_below_the_reason() {
        let mut document = repaired();
        let mut third = finding("shop.CartTest#taxes", Level::One, "c");
        *third.repair_mut() = document.findings[1].repair().clone();
        document.findings.push(third);
        let mut suggested = document.repairs[0].candidates[0].clone();
        suggested.safety = Safety::Suggestion;
        suggested.why = "accept two orders".to_owned();
        suggested.repairs = document.findings[1..]
            .iter()
            .map(|finding| finding.id.clone())
            .collect();
        document.repairs[0].candidates.push(suggested);
        let findings: Vec<&Finding> = document.findings.iter().collect();
        let reason = "    reason   no strategy fits this failure\n    a suggestion: accept two orders\n";
        let rest = format!(
            "not repaired shop.CartTest#sums\n{reason}    \
             proof    23 varied runs passed, 5 variants with a mistake failed\n\
             --- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-old\n+new\n\n\
             not repaired shop.CartTest#taxes\n{reason}    diff     that of shop.CartTest#sums\n\n\
             1 of 3 findings repaired\n"
        );
        let text = without_colour(&repairs_text(&document, &findings, false));
        assert!(text.ends_with(&rest), "{text}");
        assert!(text.starts_with("repaired shop.CartTest#lists\n"), "{text}");
        assert_eq!(text.matches("accept two orders").count(), 2);
        // Whoever was asked about patches has not seen it.
        assert_eq!(
            without_colour(&repairs_summary(&document, &findings, false)),
            rest
        );
    }

    #[test]
    fn whoever_has_seen_the_patches_is_told_of_the_rest() {
        let mut document = repaired();
        let summary = |document: &Document| {
            let findings: Vec<&Finding> = document.findings.iter().collect();
            without_colour(&repairs_summary(document, &findings, false))
        };
        let rest = "not repaired shop.CartTest#sums\n    reason   no strategy fits this failure\n\n";
        let count = "1 of 2 findings repaired\n";
        assert_eq!(summary(&document), format!("{rest}{count}"));
        document.summary.partial = true;
        let partial = "partial: the run ended before everything was done\n";
        assert_eq!(summary(&document), format!("{rest}{partial}{count}"));
    }

    #[test]
    fn a_patch_is_coloured_as_a_diff() {
        let document = repaired();
        let text = patch_text(&document, &document.repairs[0].candidates[0], false);
        assert!(
            without_colour(&text).starts_with("repaired shop.CartTest#lists\n    patch    compare values\n"),
            "{text}"
        );
        assert!(text.contains(&format!("{ADDED}+new{ADDED:#}\n")), "{text:?}");
        assert!(text.contains(&format!("{REMOVED}-old{REMOVED:#}\n")), "{text:?}");
    }

    #[test]
    fn maintainers_get_the_evidence() {
        let document = repaired();
        let candidate = &document.repairs[0].candidates[0];
        let message = commit_message(&document, candidate);
        assert_eq!(
            message,
            "CartTest no longer depends on an unspecified order\n\n\
             The patch: compare values.\n\nTests:\n- shop.CartTest#lists\n"
        );
        let request = pull_request(&document, candidate);
        assert!(request.starts_with(&message));
        let proof = "With the patch, the tests passed 23 runs with other orders, and 5 variants of the changed \
                     assertions with a deliberate mistake failed as they should.";
        assert!(request.contains(proof), "{request}");
    }

    #[test]
    fn who_needs_two_orders_of_one_object_says_so() {
        let findings = [
            ("lists", Level::Full),
            ("sums", Level::One),
            ("adds", Level::Full),
        ]
        .map(|(test, level)| finding(&format!("shop.CartTest#{test}"), level, test));
        let mut document = document(findings.to_vec());
        let mut candidate = repaired().repairs[0].candidates[0].clone();
        let said = |document: &Document, candidate: &RepairCandidate| {
            let message = commit_message(document, candidate);
            let mut lines = message.lines().map(str::to_owned);
            lines.find(|line| line.contains("two different orders"))
        };
        candidate.repairs = vec![document.findings[1].id.clone()];
        assert_eq!(said(&document, &candidate), None);
        let rest = "only if one unchanged object gives its elements in two different orders. The documentation \
                    allows that; this JDK does not do it.";
        candidate.repairs = vec![document.findings[0].id.clone()];
        assert_eq!(
            said(&document, &candidate),
            Some(format!("The test fails {rest}"))
        );
        candidate.repairs = document
            .findings
            .iter()
            .map(|finding| finding.id.clone())
            .collect();
        assert_eq!(
            said(&document, &candidate),
            Some(format!("2 of the 3 tests fail {rest}"))
        );
        document.findings.pop();
        candidate.repairs.pop();
        assert_eq!(
            said(&document, &candidate),
            Some(format!("One of the 2 tests fails {rest}"))
        );
        assert!(pull_request(&document, &candidate).contains(rest));
    }

    #[test]
    fn a_clean_up_is_told_with_the_order_that_failed() {
        let mut polluter = polluter(
            "shop.BasketTest#adds",
            StateKind::Heap,
            "shop.Basket.ITEMS",
            "Basket.ITEMS[0]: - → \"apple\"",
        );
        let victim = victim(&["shop.BasketTest#adds", "shop.FirstTest#isEmpty"], "not empty");
        if let Details::Polluter(state) = &mut polluter.details {
            state.victims = vec![Suffering {
                test: victim.test.clone(),
                message: String::new(),
            }];
        }
        let repairs = vec![victim.id.clone(), polluter.id.clone(), polluter.id.clone()];
        let candidate = RepairCandidate {
            strategy: "clean-up".to_owned(),
            safety: Safety::Test,
            why: "clear `Basket.ITEMS` after each test of `BasketTest`".to_owned(),
            files: vec!["A.java".to_owned()],
            patch: "+new\n".to_owned(),
            proof: RepairProof {
                orders: 8,
                module: 29,
                ..RepairProof::default()
            },
            repairs,
        };
        let replay = polluter.replay.clone();
        let mut document = document(vec![polluter, victim]);
        assert_eq!(
            pull_request(&document, &candidate),
            format!(
                "BasketTest leaves Basket.ITEMS as it was\n\n\
                 `shop.BasketTest#adds` leaves `Basket.ITEMS[0]` changed: nothing → \"apple\". \
                 After it, `shop.FirstTest#isEmpty` fails.\n\n\
                 The patch: clear `Basket.ITEMS` after each test of `BasketTest`.\n\n\
                 Tests:\n- shop.FirstTest#isEmpty\n- shop.BasketTest#adds\n\n\
                 ## How to see it\n\n\
                 In this order the second test fails; without the first one it passes:\n\n    \
                 shop.BasketTest#adds\n    shop.FirstTest#isEmpty\n\n    \
                 {replay}\n\nrepeats the failure.\n\n\
                 ## Proof\n\n\
                 With the patch, 8 runs in orders that failed before passed. All tests of the module passed in \
                 their own order and in reversed order as they do without it.\n"
            )
        );
        document.repairs = vec![RepairGroup {
            id: "r-1".to_owned(),
            findings: candidate.repairs.clone(),
            candidates: vec![candidate],
            chosen: Some(0),
        }];
        let text = without_colour(&repairs_text(&document, &[], false));
        assert!(
            text.starts_with(
                "repaired shop.FirstTest#isEmpty\n    \
                 and      shop.BasketTest#adds\n    \
                 patch    clear `Basket.ITEMS` after each test of `BasketTest`\n    \
                 touches  test code only\n    \
                 proof    8 runs passed in orders that failed, 29 tests passed with all patches\n"
            ),
            "{text}"
        );
    }
}
