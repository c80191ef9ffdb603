//! What the engine gets from the program around it: the agent, the user's Ctrl-C, and somebody who draws.

use crate::embedded;
use crate::interrupt::Interrupt;
use std::path::Path;
use unflake_check::{Problem, Surroundings};

/// Unpacks the agent below `store`, and listens for signals from now on.
pub(crate) fn surroundings(store: &Path) -> Result<(Surroundings, Interrupt), Problem> {
    let unpacked = embedded::unpack(store)?;
    let interrupt = Interrupt::install()?;
    let surroundings = Surroundings {
        agent: unpacked.agent,
        runner: unpacked.runner,
        children: interrupt.children.clone(),
        cancel: interrupt.cancel.clone(),
        page: unflake_report::pollution_page,
        explain_marks: unflake_report::explain_marks,
    };
    Ok((surroundings, interrupt))
}
