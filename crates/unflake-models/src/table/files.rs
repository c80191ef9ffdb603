//! Directories.

use super::arrays::{array, static_array};
use crate::{Basis, Kind, Model, Road, roads};

const RULE: &str = "UF105";

const fn stated(
    name: &'static str,
    quote: &'static str,
    quoted_from: &'static str,
    roads: &'static [Road],
) -> Model {
    Model {
        name,
        kind: Kind::Permute,
        basis: Basis::Stated,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: RULE,
        roads,
        through: &[],
    }
}

const NO_SPECIFIC_ORDER: &str =
    "There is no guarantee that the name strings in the resulting array will appear in any specific order";
const STREAM: &str = "The elements returned by the iterator are in no specific order.";
const STREAM_FROM: &str = "java/nio/file/DirectoryStream";

const FILE: &str = "java/io/File";

pub(crate) const ROWS: &[Model] = &[
    stated(
        "File.list",
        NO_SPECIFIC_ORDER,
        "java/io/File#list",
        &[
            array(FILE, "list", "()[Ljava/lang/String;"),
            // See `Road::needs`: where there is no `normalizedList`, this and the next three call `list()`.
            array(FILE, "list", "(Ljava/io/FilenameFilter;)[Ljava/lang/String;"),
        ],
    ),
    stated(
        "File.listFiles",
        NO_SPECIFIC_ORDER,
        "java/io/File#listFiles",
        &[
            array(FILE, "listFiles", "()[Ljava/io/File;"),
            array(FILE, "listFiles", "(Ljava/io/FilenameFilter;)[Ljava/io/File;"),
            array(FILE, "listFiles", "(Ljava/io/FileFilter;)[Ljava/io/File;"),
        ],
    ),
    Model {
        basis: Basis::Silent,
        ..stated(
            "File.listRoots",
            "This method returns an array of File objects that denote the root directories of the available \
             filesystem roots.",
            "java/io/File#listRoots",
            &[static_array(FILE, "listRoots", "()[Ljava/io/File;")],
        )
    },
    stated(
        "Files.newDirectoryStream",
        STREAM,
        STREAM_FROM,
        roads::DIRECTORY_STREAM,
    ),
    Model {
        basis: Basis::Inherited,
        through: &["Files.newDirectoryStream"],
        ..stated("Files.list", STREAM, STREAM_FROM, &[])
    },
    Model {
        basis: Basis::Inherited,
        through: &["Files.newDirectoryStream"],
        ..stated("Files.walk", STREAM, STREAM_FROM, &[])
    },
    Model {
        basis: Basis::Inherited,
        through: &["Files.newDirectoryStream"],
        ..stated("Files.find", STREAM, STREAM_FROM, &[])
    },
    Model {
        basis: Basis::Inherited,
        through: &["Files.newDirectoryStream"],
        ..stated("Files.walkFileTree", STREAM, STREAM_FROM, &[])
    },
];
