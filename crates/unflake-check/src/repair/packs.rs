//! Which edits go together: attempts that share a compilation, and patches that share a project.

use super::Texts;
use super::search::Attempt;
use super::sources::{ProjectSources, is_test};
use std::collections::BTreeMap;
use unflake_repair::{Edits, JavaFile};

/// Attempts that can be compiled together: their edits do not touch each other, and they change the same main code.
pub(crate) fn pack(attempts: &[Attempt], sources: &ProjectSources) -> Vec<(Texts, Vec<usize>)> {
    let mut packs: Vec<(Texts, Vec<usize>)> = Vec::new();
    for (index, attempt) in attempts.iter().enumerate() {
        let joined = packs
            .iter_mut()
            .find_map(|pack| Some((merged(&pack.0, &attempt.texts, sources)?, pack)));
        match joined {
            Some((texts, pack)) => {
                pack.0 = texts;
                pack.1.push(index);
            }
            None => packs.push((attempt.texts.clone(), vec![index])),
        }
    }
    packs
}

/// Both together; `None`: they do not go together, or one would be proved by the main code of the other.
fn merged(one: &Texts, other: &Texts, sources: &ProjectSources) -> Option<Texts> {
    let main = |texts: &Texts| -> BTreeMap<String, String> {
        let main = texts.iter().filter(|(path, _)| !is_test(path));
        main.map(|(path, text)| (path.clone(), text.clone())).collect()
    };
    (main(one) == main(other)).then_some(())?;
    together(&[one, other], sources)
}

/// All edits of these texts in one; `None`: some of them touch the same lines, or add methods of the same name.
pub(crate) fn together(all: &[&Texts], sources: &ProjectSources) -> Option<Texts> {
    let mut merged = Texts::new();
    for (path, text) in all.iter().flat_map(|texts| texts.iter()) {
        let both = match merged.get(path) {
            None => text.clone(),
            Some(there) if there == text => continue,
            Some(there) => {
                let old = sources.original(path)?.text;
                let both = Edits::between(&old, there)
                    .merged(&Edits::between(&old, text))?
                    .apply(&old);
                let parsed = JavaFile::parse(path.as_str(), both.as_str()).ok()?;
                (!parsed.has_method_twice()).then_some(both)?
            }
        };
        merged.insert(path.clone(), both);
    }
    Some(merged)
}
