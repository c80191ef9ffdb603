//! What libraries fill in inside of their own objects, and what only looks like it.

use super::notation::{parse_change, project};
use super::why;
use unflake_findings::Mark;

const LOGGER: &str = "class Log
                      private static log Lorg/lib/Logger;
                      open text (L)V: log read, log .info given
                      library org.lib.Logger
                      private own level Lorg/lib/Level;
                      private own parent Lorg/lib/Parent;
                      open setLevel (L)V: level = given
                      open parent ()L: parent read, parent out
                      open link ()V: parent = other";

fn mark_of(classes: &str, line: &str) -> Option<Mark> {
    why(&parse_change(line).0, &project(classes))
}

fn filled(field: &str) -> Option<Mark> {
    Some(Mark::LibraryFill {
        field: field.to_owned(),
    })
}

#[test]
fn a_part_that_was_missing_is_filled_in_and_a_setting_is_set() {
    let part = "a.Log.log org.lib.Logger.parent | first-set | null | org.lib.Parent";
    let setting = "a.Log.log org.lib.Logger.level | first-set | null | org.lib.Level";
    let unknown = "a.Log.log org.lib.Logger.other | first-set | null | org.lib.Level";
    assert_eq!(mark_of(LOGGER, part), filled("Log.log"));
    assert_eq!(mark_of(LOGGER, setting), None);
    assert_eq!(mark_of(LOGGER, unknown), None);
}

#[test]
fn what_is_registered_in_a_list_or_by_a_name_is_not_filled_in() {
    for registered in [
        "a.Log.log org.lib.Logger.appenders [] | grown | - | org.lib.Appender",
        "a.Log.log org.lib.Logger.appenders [] | grown | - | org.lib.Appender | key \"console\"",
        "a.Log.log org.lib.Logger.name | first-set | null | \"text\"",
        "a.Log.log org.lib.Logger.appenders [] | removed | org.lib.Appender | - | key org.lib.Key",
    ] {
        assert_eq!(mark_of(LOGGER, registered), None, "{registered}");
    }
}

#[test]
fn an_object_that_the_project_tells_something_is_not_filled_in() {
    let told = LOGGER.replace(".info given", ".addAppender given");
    let replaced = format!("{LOGGER}\nclass Other\nopen reset ()V: a.Log.log = other");
    let part = "a.Log.log org.lib.Logger.parent | first-set | null | org.lib.Parent";
    assert_eq!(mark_of(&told, part), None);
    assert_eq!(mark_of(&replaced, part), None);
}

#[test]
fn an_array_of_the_librarys_objects_is_filled_in() {
    let element = "a.Log.log org.lib.Logger.edges [] | first-set | null | org.lib.Edge";
    let of_project = "a.Log.log org.lib.Logger.edges [] | first-set | null | a.Edge";
    let classes = format!("{LOGGER}\nclass Edge");
    assert_eq!(mark_of(&classes, element), filled("Log.log"));
    assert_eq!(mark_of(&classes, of_project), None);
}
