//! Binary searches among equal elements.

use super::*;

const fn search(descriptor: &'static str, helper: &'static str, args: &'static [Arg]) -> Road {
    road("java/util/Arrays", "binarySearch", descriptor, wrap(helper, args))
}

const fn search_list(descriptor: &'static str, helper: &'static str, args: &'static [Arg]) -> Road {
    road(
        "java/util/Collections",
        "binarySearch",
        descriptor,
        wrap(helper, args),
    )
}

pub(crate) const ARRAYS_BINARY_SEARCH: &[Road] = &[
    search("([JJ)I", "found(I[JI)I", &[Arg::Param(0)]),
    search(
        "([JIIJ)I",
        "found(I[JIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([II)I", "found(I[II)I", &[Arg::Param(0)]),
    search(
        "([IIII)I",
        "found(I[IIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([SS)I", "found(I[SI)I", &[Arg::Param(0)]),
    search(
        "([SIIS)I",
        "found(I[SIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([CC)I", "found(I[CI)I", &[Arg::Param(0)]),
    search(
        "([CIIC)I",
        "found(I[CIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([BB)I", "found(I[BI)I", &[Arg::Param(0)]),
    search(
        "([BIIB)I",
        "found(I[BIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([DD)I", "found(I[DI)I", &[Arg::Param(0)]),
    search(
        "([DIID)I",
        "found(I[DIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search("([FF)I", "found(I[FI)I", &[Arg::Param(0)]),
    search(
        "([FIIF)I",
        "found(I[FIII)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search(
        "([Ljava/lang/Object;Ljava/lang/Object;)I",
        "found(I[Ljava/lang/Object;Ljava/lang/Object;I)I",
        &[Arg::Param(0), Arg::Param(1)],
    ),
    search(
        "([Ljava/lang/Object;IILjava/lang/Object;)I",
        "found(I[Ljava/lang/Object;IILjava/lang/Object;I)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2), Arg::Param(3)],
    ),
    search(
        "([Ljava/lang/Object;Ljava/lang/Object;Ljava/util/Comparator;)I",
        "found(I[Ljava/lang/Object;Ljava/lang/Object;Ljava/util/Comparator;I)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
    search(
        "([Ljava/lang/Object;IILjava/lang/Object;Ljava/util/Comparator;)I",
        "found(I[Ljava/lang/Object;IILjava/lang/Object;Ljava/util/Comparator;I)I",
        &[
            Arg::Param(0),
            Arg::Param(1),
            Arg::Param(2),
            Arg::Param(3),
            Arg::Param(4),
        ],
    ),
];

pub(crate) const COLLECTIONS_BINARY_SEARCH: &[Road] = &[
    search_list(
        "(Ljava/util/List;Ljava/lang/Object;)I",
        "found(ILjava/util/List;Ljava/lang/Object;I)I",
        &[Arg::Param(0), Arg::Param(1)],
    ),
    search_list(
        "(Ljava/util/List;Ljava/lang/Object;Ljava/util/Comparator;)I",
        "found(ILjava/util/List;Ljava/lang/Object;Ljava/util/Comparator;I)I",
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)],
    ),
];
