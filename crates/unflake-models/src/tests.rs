//! What holds for every row of the table.

use crate::sources::{JdkSources, find_jdk_sources};
use crate::{Arg, Basis, Edit, Kind, MODELS, Model, Road, find};
use std::collections::{BTreeMap, BTreeSet};

fn roads() -> impl Iterator<Item = (&'static Model, &'static Road)> {
    MODELS
        .iter()
        .flat_map(|model| model.roads.iter().map(move |road| (model, road)))
}

#[test]
fn names_are_unique_and_are_class_and_method() {
    let mut seen = BTreeSet::new();
    for model in MODELS {
        assert!(
            seen.insert(model.name.to_lowercase()),
            "two models are called {}",
            model.name
        );
        let (class, method) = model.name.split_once('.').unwrap();
        assert!(class.starts_with(char::is_uppercase), "{}", model.name);
        assert!(method.starts_with(char::is_lowercase), "{}", model.name);
    }
}

#[test]
fn table_2_1_of_the_thesis_is_complete() {
    let rows = [
        ("Object", "hashCode"),
        ("HashMap", "keySet values entrySet"),
        ("WeakHashMap", "keySet values entrySet"),
        ("IdentityHashMap", "keySet values entrySet"),
        ("ConcurrentHashMap", "keySet values entrySet keys elements"),
        ("PriorityQueue", "iterator toArray toString"),
        ("DelayQueue", "iterator toArray toString"),
        ("PriorityBlockingQueue", "iterator toArray toString"),
        ("File", "list listFiles listRoots"),
        (
            "Class",
            "getClasses getFields getDeclaredFields getConstructors getAnnotations getMethods \
             getDeclaredConstructors getDeclaredMethods getDeclaredClasses getDeclaredAnnotations",
        ),
        (
            "Method",
            "getParameterAnnotations getExceptionTypes getGenericExceptionTypes getDeclaredAnnotations",
        ),
        ("Field", "getAnnotationsByType getDeclaredAnnotations"),
        ("DateFormatSymbols", "getAvailableLocales getZoneStrings"),
        ("BreakIterator", "getAvailableLocales"),
        ("Collator", "getAvailableLocales"),
        ("DecimalFormatSymbols", "getAvailableLocales"),
        ("NumberFormat", "getAvailableLocales"),
        ("DateFormat", "getAvailableLocales"),
    ];
    let mut n_rows = 0;
    for (class, methods) in rows {
        for method in methods.split_whitespace() {
            let name = format!("{class}.{method}");
            let (_, model) = find(&name).unwrap_or_else(|| panic!("{name} is missing"));
            let kind = match name.as_str() {
                "Object.hashCode" => Kind::Random,
                "DateFormatSymbols.getZoneStrings" => Kind::Extend,
                _ => Kind::Permute,
            };
            assert_eq!(model.kind, kind, "{name}");
            assert_eq!(model.since, 8, "{name}");
            n_rows += 1;
        }
    }
    assert_eq!(n_rows, 50);
}

#[test]
fn every_model_says_why_it_may_vary() {
    for model in MODELS {
        assert!(model.quote.len() > 20, "{}: {:?}", model.name, model.quote);
        assert_eq!(
            model.quote,
            model.quote.split_whitespace().collect::<Vec<_>>().join(" "),
            "{}",
            model.name
        );
        let class = model.quoted_from.split('#').next().unwrap();
        assert!(
            class.starts_with("java/") && !class.contains('.'),
            "{}: {class}",
            model.name
        );
        let own = class.rsplit('/').next() == model.name.split('.').next();
        assert!(
            model.basis != Basis::Inherited || !own,
            "{} inherits from itself",
            model.name
        );
        assert!(
            matches!(model.rule.strip_prefix("UF1"), Some(digits) if digits.len() == 2 && digits != "00"),
            "{}: {}",
            model.name,
            model.rule
        );
    }
}

#[test]
fn every_model_varies_somehow() {
    let not: Vec<&str> = MODELS
        .iter()
        .filter(|model| model.roads.is_empty() && model.through.is_empty())
        .map(|model| model.name)
        .collect();
    assert_eq!(not, ["Object.hashCode"], "models without road");
}

#[test]
fn what_a_model_varies_through_exists_and_ends_at_a_road() {
    for model in MODELS {
        let mut ways: Vec<&str> = model.through.to_vec();
        for _ in 0..MODELS.len() {
            let Some(next) = ways.pop() else { break };
            let (_, next) = find(next).unwrap_or_else(|| panic!("{}: no model {next}", model.name));
            assert_ne!(next.name, model.name, "{} varies through itself", model.name);
            ways.extend(next.through);
        }
        assert!(ways.is_empty(), "{} goes round in circles", model.name);
    }
}

#[test]
fn javas_are_in_order() {
    for model in MODELS {
        assert!(
            model.since >= 8 && model.until.is_none_or(|until| model.since <= until),
            "{}",
            model.name
        );
    }
    for (model, road) in roads() {
        assert!(
            road.since >= 8 && road.until.is_none_or(|until| road.since <= until),
            "{} {road:?}",
            model.name
        );
    }
}

/// Two edits of one method in one Java would vary it twice.
#[test]
fn no_method_is_edited_twice() {
    for java in 8..=25 {
        let mut seen = BTreeMap::new();
        for (_, model, road) in crate::roads_for(java) {
            let before = seen.insert((road.class, road.method, road.descriptor), model.name);
            assert_eq!(before, None, "Java {java}: {} of {}", road.method, model.name);
        }
    }
}

#[test]
fn helpers_are_called_with_what_they_take() {
    for (model, road) in roads() {
        check_helper(road)
            .unwrap_or_else(|wrong| panic!("{} {}.{}: {wrong}", model.name, road.class, road.method));
    }
}

fn check_helper(road: &Road) -> Result<(), String> {
    let (parameters, result) = types(road.descriptor).ok_or("malformed descriptor")?;
    let (helper, args, before) = match road.edit {
        Edit::Wrap { helper, args } => (helper, args, 1),
        Edit::Instead { helper, args } | Edit::Around { helper, args } => (helper, args, 0),
        Edit::AfterCalls { helper, args, .. } => (helper, args, 1),
    };
    let (name, descriptor) = helper.split_at(helper.find('(').ok_or("a helper without descriptor")?);
    let (taken, given_back) = types(descriptor).ok_or("malformed helper descriptor")?;
    if name.is_empty() || taken.last().map(String::as_str) != Some("I") {
        return Err(format!("the last parameter of `{helper}` is no int"));
    }
    if taken.len() != before + args.len() + 1 {
        return Err(format!("`{helper}` does not take {args:?}"));
    }
    for (arg, taken) in args.iter().zip(&taken[before..]) {
        if let Arg::Param(index) = arg {
            let given = parameters
                .get(usize::from(*index))
                .ok_or(format!("no parameter {index}"))?;
            // A reference may be taken as any wider type, which only the verifier can judge; a number may not.
            if given.len() == 1 && given != taken {
                return Err(format!("parameter {index} is {given}, `{helper}` takes {taken}"));
            }
        }
    }
    let same_sort = |a: &str, b: &str| (a.len() == 1) == (b.len() == 1) && (a.len() > 1 || a == b);
    let fits = match road.edit {
        Edit::Wrap { .. } => same_sort(&taken[0], &result) && same_sort(&given_back, &result),
        Edit::Instead { .. } | Edit::Around { .. } => same_sort(&given_back, &result),
        Edit::AfterCalls { .. } => taken[0] == "I" && given_back == "I",
    };
    if fits {
        Ok(())
    } else {
        Err(format!(
            "`{helper}` does not give back what `{}` does",
            road.descriptor
        ))
    }
}

/// Parameters and result of a descriptor.
fn types(descriptor: &str) -> Option<(Vec<String>, String)> {
    let (parameters, result) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut all = Vec::new();
    let mut rest = parameters;
    while !rest.is_empty() {
        let (one, after) = first_type(rest)?;
        all.push(one.to_owned());
        rest = after;
    }
    let (result, after) = if result == "V" {
        (result, "")
    } else {
        first_type(result)?
    };
    after.is_empty().then(|| (all, result.to_owned()))
}

fn first_type(text: &str) -> Option<(&str, &str)> {
    let dimensions = text.find(|c| c != '[')?;
    let end = match text.as_bytes()[dimensions] {
        b'L' => text.find(';')? + 1,
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => dimensions + 1,
        _ => return None,
    };
    Some(text.split_at(end))
}

/// The table quotes; it does not paraphrase. Which JDKs were looked into is printed (`--nocapture`).
#[test]
fn every_quotation_stands_in_a_jdk() {
    let (found, missing) = find_jdk_sources();
    for home in &missing {
        println!("no src.zip: {}", home.display());
    }
    assert!(
        !found.is_empty(),
        "no JDK with sources here: install one (Debian: openjdk-17-source) or set UNFLAKE_JDK_SOURCES"
    );
    let mut places = BTreeMap::<&str, BTreeSet<(Option<&str>, &str)>>::new();
    for model in MODELS {
        let (class, method) = match model.quoted_from.split_once('#') {
            Some((class, method)) => (class, Some(method)),
            None => (model.quoted_from, None),
        };
        places.entry(class).or_default().insert((method, model.quote));
    }
    let all: BTreeSet<_> = places
        .iter()
        .flat_map(|(c, quotes)| quotes.iter().map(move |(m, q)| (*c, *m, *q)))
        .collect();
    let mut standing = BTreeSet::new();
    for zip in &found {
        let sources = JdkSources::open(zip).unwrap_or_else(|error| panic!("{}: {error}", zip.display()));
        let here: Vec<_> = places
            .iter()
            .flat_map(|(class, quotes)| quotes_in(&sources, class, quotes))
            .collect();
        println!("{}: {} of {} quotations", zip.display(), here.len(), all.len());
        standing.extend(here);
    }
    let nowhere: Vec<_> = all.difference(&standing).collect();
    assert!(
        nowhere.is_empty(),
        "quoted, but in none of {found:?}: {nowhere:#?}"
    );
}

type Place<'m> = (&'m str, Option<&'m str>, &'m str);

fn quotes_in<'m>(
    sources: &JdkSources,
    class: &'m str,
    quotes: &BTreeSet<(Option<&'m str>, &'m str)>,
) -> Vec<Place<'m>> {
    let simple = class.rsplit('/').next().unwrap_or(class);
    let documented = sources.class(class).unwrap_or_default();
    let stands = |method: Option<&str>, quote: &str| {
        documented
            .iter()
            .any(|d| d.method.as_deref() == method && d.class == simple && d.text.contains(quote))
    };
    quotes
        .iter()
        .filter(|(method, quote)| stands(*method, quote))
        .map(|(m, q)| (class, *m, *q))
        .collect()
}

/// A helper that the runtime does not have would be found missing only when the edited method is called.
#[test]
fn every_helper_is_in_the_runtime() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../runtime/boot/java/util/Unflake.java"
    );
    let source = std::fs::read_to_string(folder).unwrap();
    let there = public_static_methods(&source);
    let mut missing = BTreeSet::new();
    for (_, road) in roads() {
        let helper = road.edit.helper();
        let (name, descriptor) = helper.split_at(helper.find('(').unwrap());
        let (parameters, result) = types(descriptor).unwrap();
        let parameters: Vec<String> = parameters.iter().map(|p| simple_name(p)).collect();
        if !there.contains(&format!(
            "{} {name}({})",
            simple_name(&result),
            parameters.join(", ")
        )) {
            missing.insert(helper);
        }
    }
    assert!(missing.is_empty(), "not in Unflake.java: {missing:#?}");
}

/// `Object[] array(Object[], Object, int)` for each public static method.
fn public_static_methods(source: &str) -> BTreeSet<String> {
    let mut methods = BTreeSet::new();
    for declaration in source.split("public static ").skip(1) {
        let Some((head, rest)) = declaration.split_once('(') else {
            continue;
        };
        let Some((parameters, _)) = rest.split_once(')') else {
            continue;
        };
        if head.contains(['=', ';']) {
            continue;
        }
        let head = erased(head);
        let Some((result, name)) = head.trim().rsplit_once(' ') else {
            continue;
        };
        let parameters = erased(parameters);
        let types: Vec<&str> = parameters
            .split(',')
            .filter_map(|parameter| parameter.trim().trim_start_matches("final ").rsplit_once(' '))
            .map(|(kind, _)| kind.trim())
            .collect();
        methods.insert(format!("{} {name}({})", result.trim(), types.join(", ")));
    }
    methods
}

/// Without type arguments, type parameters and folders: `Map.Entry<K, V>` is `Entry`.
fn erased(text: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '.' if depth == 0 => {
                let start = kept.rfind([' ', ',']).map_or(0, |at| at + 1);
                kept.truncate(start);
            }
            c if depth == 0 => kept.push(if c.is_whitespace() { ' ' } else { c }),
            _ => {}
        }
    }
    kept
}

fn simple_name(descriptor: &str) -> String {
    if descriptor == "V" {
        "void".to_owned()
    } else {
        crate::explain::simple_types(descriptor).concat()
    }
}
