//! Directory streams: those of the default file system and of archives.

use super::*;

const HELPER: &str = "directory(Ljava/util/Iterator;Ljava/lang/Object;I)Ljava/util/Iterator;";

pub(crate) const DIRECTORY_STREAM: &[Road] = &[
    // `UnixSecureDirectoryStream` calls it too.
    road(
        "sun/nio/fs/UnixDirectoryStream",
        "iterator",
        "(Ljava/nio/file/DirectoryStream;)Ljava/util/Iterator;",
        wrap(HELPER, &[Arg::Param(0)]),
    ),
    until(
        8,
        road(
            "com/sun/nio/zipfs/ZipDirectoryStream",
            "iterator",
            ITERATOR,
            wrap(HELPER, &[Arg::This]),
        ),
    ),
    since(
        9,
        road(
            "jdk/nio/zipfs/ZipDirectoryStream",
            "iterator",
            ITERATOR,
            wrap(HELPER, &[Arg::This]),
        ),
    ),
];
