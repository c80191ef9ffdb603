//! What libraries fill in inside of their own objects, and what only looks like it.

use super::notation::{parse_change, project};
use super::why;
use unflake_findings::Mark;
use unflake_protocol::Further;

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

#[test]
fn an_entry_whose_key_changed_in_place_seems_to_go() {
    let gone = "a.Log.log org.lib.Logger.appenders [] | removed | org.lib.Appender | - | key org.lib.Key";
    let by_name = "a.Log.log org.lib.Logger.appenders [] | removed | org.lib.Appender | - | key \"console\"";
    let of_project = "a.Log.log org.lib.Logger.appenders [] | removed | a.Appender | - | key org.lib.Key";
    let classes = format!("{LOGGER}\nclass Appender");
    let dropped = LOGGER.replace(".info given", ".removeAppender given");
    assert_eq!(mark_of(LOGGER, gone), filled("Log.log"));
    assert_eq!(mark_of(LOGGER, by_name), None);
    assert_eq!(mark_of(&classes, of_project), None);
    assert_eq!(mark_of(&dropped, gone), None);
}

#[test]
fn a_number_that_a_library_counts_beside_what_it_fills_in_is_of_no_account() {
    let logger = format!(
        "{LOGGER}\nprivate own count I\nprivate own limit I\nopen setLimit (I)V: limit = given\n\
                          open run ()V: count = other"
    );
    let entry = "a.Log.log org.lib.Logger.edges [] | grown | - | org.lib.Edge | key org.lib.Key";
    let with = |further: &str| {
        let mut change = parse_change(entry).0;
        let also = parse_change(&format!("a.Log.log org.lib.Logger.{further} | increased | 1 | 2")).0;
        change.add(Further {
            steps: also.steps,
            form: also.form,
        });
        why(&change, &project(&logger))
    };
    let cached = Some(Mark::TypeCache {
        field: "Log.log".to_owned(),
    });
    assert_eq!(with("count"), cached);
    assert_eq!(with("limit"), None);
    assert_eq!(
        mark_of(&logger, "a.Log.log org.lib.Logger.count | increased | 1 | 2"),
        None
    );
}

/// `Logger.parent`, and another difference beside it.
fn with_part(classes: &str, further: &str) -> Option<Mark> {
    let mut change = parse_change("a.Log.log org.lib.Logger.parent | first-set | null | org.lib.Parent").0;
    let also = parse_change(&format!("a.Log.log org.lib.Logger.{further}")).0;
    change.add(Further {
        steps: also.steps,
        form: also.form,
    });
    why(&change, &project(classes))
}

#[test]
fn what_a_library_replaces_by_itself_is_filled_in_and_what_callers_set_is_not() {
    let logger = format!(
        "{LOGGER}
         private own levels Ljava/util/Map;
         private own names Ljava/util/Map;
         private own shapes [Lorg/lib/Shape;
         private own known Lorg/lib/Known;
         private own config Lorg/lib/Config;
         open name (LL)V: names read, names .put given
         open learn ()V: levels read, levels .put other, known read, known = other"
    );
    let replaced = |further: &str| with_part(&logger, &format!("{further} | replaced | 1 | 2"));
    assert_eq!(replaced("known"), filled("Log.log"));
    assert_eq!(replaced("levels []"), filled("Log.log"));
    assert_eq!(replaced("names []"), None, "a caller gives them");
    assert_eq!(replaced("level"), None, "a setter sets it");
    assert_eq!(
        replaced("config"),
        None,
        "no method of the class sets it: somebody else does"
    );
    assert_eq!(replaced("other []"), None, "nothing is known of it");
    assert_eq!(
        replaced("shapes []"),
        None,
        "who stores into an array is not known"
    );
    let alone = "a.Log.log org.lib.Logger.known | replaced | org.lib.Known | org.lib.Known";
    assert_eq!(mark_of(&logger, alone), None, "only beside what is filled in");
}

#[test]
fn numbers_by_which_a_librarys_map_keeps_its_entries() {
    const LRU: &str = "class Json
                       private static MAPPER Lorg/lib/Mapper;
                       open text (L)L: MAPPER read, MAPPER .write given !
                       library org.lib.Lru extends org.lib.OurMap
                       private own uses [J
                       private own reads Ljava/util/concurrent/atomic/AtomicLong;
                       private own most J
                       private own entries [Lorg/lib/Entry;
                       private own queue Lorg/lib/Queue;
                       open get (L)L: uses read, reads read, reads .incrementAndGet other !
                       open setMost (J)V: most = given
                       library org.lib.OurMap extends java.util.AbstractMap
                       library org.lib.Queue extends java.util.AbstractCollection
                       private own last Lorg/lib/Entry;
                       open add (L)V: last = given";
    let upkeep = Some(Mark::MapUpkeep {
        field: "Json.MAPPER".to_owned(),
    });
    let number = |classes: &str, way: &str| {
        mark_of(
            classes,
            &format!("a.Json.MAPPER org.lib.Mapper.cache {way} | replaced | 1 | 2"),
        )
    };
    assert_eq!(number(LRU, "org.lib.Lru.uses []"), upkeep);
    let atomic = "org.lib.Lru.reads java.util.concurrent.atomic.AtomicLong.value";
    assert_eq!(number(LRU, atomic), upkeep);
    assert_eq!(number(LRU, "org.lib.Lru.most"), None, "it can be told");
    assert_eq!(number(LRU, "org.lib.Lru.entries []"), None, "no number");
    let shown = LRU.replace(
        "open setMost",
        "open reads ()J: reads read, reads .get other !, reads below returned\nopen setMost",
    );
    assert_eq!(number(&shown, atomic), None, "it is shown");
    let near = shown.replace("open reads", "own reads");
    assert_eq!(number(&near, atomic), upkeep, "to classes near by only");
    let no_map = LRU.replace("extends java.util.AbstractMap", "");
    assert_eq!(
        number(&no_map, "org.lib.Lru.uses []"),
        None,
        "a list of numbers may be one"
    );
    let of_project = LRU.replace("library org.lib.Lru", "class org.lib.Lru");
    assert_eq!(number(&of_project, "org.lib.Lru.uses []"), None);

    let queued = |link: &str| {
        let mut change =
            parse_change("a.Json.MAPPER org.lib.Mapper.cache org.lib.Lru.uses [] | replaced | 1 | 2").0;
        let steps = parse_change(&format!(
            "a.Json.MAPPER org.lib.Mapper.cache {link} | replaced | org.lib.Entry | org.lib.Entry"
        ));
        change.add(Further {
            steps: steps.0.steps,
            form: steps.0.form,
        });
        why(&change, &project(LRU))
    };
    assert_eq!(queued("org.lib.Lru.queue org.lib.Queue.last"), upkeep);
    assert_eq!(
        queued("org.lib.Other.queue org.lib.Queue.last"),
        None,
        "of no map"
    );
    assert_eq!(
        queued("org.lib.Lru.queue [] org.lib.Queue.last"),
        None,
        "of what is in the map"
    );
}
