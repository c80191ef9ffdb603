//! Locales and zone names of `java.text`.
//!
//! All six `getAvailableLocales` (and those of `Calendar` and `ListFormat`, which call `DateFormat`'s) return a
//! `HashSet`'s `toArray`, on every JDK from 8 to 25. The set is varied already, so permuting the array again could give
//! back the natural order.

use super::arrays::wrap;
use crate::{Arg, Basis, Kind, Model};

const RULE: &str = "UF106";

const fn locales(name: &'static str, quote: &'static str, quoted_from: &'static str) -> Model {
    Model {
        name,
        kind: Kind::Permute,
        basis: Basis::Silent,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: RULE,
        roads: &[],
        through: &["HashSet.iterator"],
    }
}

const GET_INSTANCE: &str = "Returns an array of all locales for which the getInstance methods of this class can \
                            return localized instances.";
const GET_ANY_INSTANCE: &str = "Returns an array of all locales for which the get*Instance methods of this class \
                                can return localized instances.";

pub(crate) const ROWS: &[Model] = &[
    locales(
        "DateFormatSymbols.getAvailableLocales",
        GET_INSTANCE,
        "java/text/DateFormatSymbols#getAvailableLocales",
    ),
    locales(
        "BreakIterator.getAvailableLocales",
        GET_ANY_INSTANCE,
        "java/text/BreakIterator#getAvailableLocales",
    ),
    locales(
        "Collator.getAvailableLocales",
        GET_INSTANCE,
        "java/text/Collator#getAvailableLocales",
    ),
    locales(
        "DecimalFormatSymbols.getAvailableLocales",
        GET_INSTANCE,
        "java/text/DecimalFormatSymbols#getAvailableLocales",
    ),
    locales(
        "NumberFormat.getAvailableLocales",
        GET_ANY_INSTANCE,
        "java/text/NumberFormat#getAvailableLocales",
    ),
    locales(
        "DateFormat.getAvailableLocales",
        GET_ANY_INSTANCE,
        "java/text/DateFormat#getAvailableLocales",
    ),
    Model {
        through: &["DateFormat.getAvailableLocales"],
        ..locales(
            "Calendar.getAvailableLocales",
            GET_INSTANCE,
            "java/util/Calendar#getAvailableLocales",
        )
    },
    Model {
        since: 22,
        through: &["DateFormat.getAvailableLocales"],
        ..locales(
            "ListFormat.getAvailableLocales",
            "the available locales that support ListFormat",
            "java/text/ListFormat#getAvailableLocales",
        )
    },
    Model {
        kind: Kind::Extend,
        basis: Basis::Stated,
        roads: &[wrap(
            "java/text/DateFormatSymbols",
            "getZoneStrings",
            "()[[Ljava/lang/String;",
            "zoneStrings([[Ljava/lang/String;Ljava/text/DateFormatSymbols;I)[[Ljava/lang/String;",
            &[Arg::This],
        )],
        through: &[],
        ..locales(
            "DateFormatSymbols.getZoneStrings",
            "a two-dimensional array of strings of size n by m, where m is at least 5",
            "java/text/DateFormatSymbols#getZoneStrings",
        )
    },
];
