//! The mounts of a launcher: overlays over directories, and directories that stay outside of them.

use super::instructions::Namespaces;
use super::rights::Mounter;
use rustix::fs::{Access, CWD, access};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, move_mount,
    open_tree,
};
use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

/// An overlay that is not required and cannot be had is said on standard error, like this.
pub(super) const NOT_COVERED: &str = "cannot cover ";

/// Mounts all that the instructions ask for, and nothing that anybody else sees.
pub(super) fn set_up(namespaces: &Namespaces, mounter: Mounter) -> Result<(), String> {
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .map_err(|error| format!("cannot make mounts private: {error}"))?;
    // They have to be opened while nothing covers them.
    let kept = namespaces
        .kept
        .iter()
        .map(|directory| Ok((directory, opened(directory)?)));
    let kept: Vec<(&PathBuf, OwnedFd)> = kept.collect::<Result<_, String>>()?;
    let layers = Layers::open(&namespaces.layers, mounter);
    let mut layers =
        layers.map_err(|error| format!("cannot open {}: {error}", namespaces.layers.display()))?;
    let mut covered: Vec<&Path> = Vec::new();
    let mut overlays: Vec<_> = namespaces.overlays.iter().collect();
    overlays.sort_by_key(|overlay| &overlay.directory);
    for overlay in overlays {
        let directory = overlay.directory.as_path();
        if covered.iter().any(|outer| directory.starts_with(outer)) {
            continue;
        }
        match layers.cover(directory) {
            Ok(()) => covered.push(directory),
            Err(error) => {
                let problem = format!("{NOT_COVERED}{}: {error}", directory.display());
                if overlay.required {
                    return Err(problem);
                }
                super::launcher::say(&problem);
            }
        }
    }
    for (directory, tree) in kept {
        if covered.iter().any(|outer| directory.starts_with(outer)) {
            move_mount(&tree, "", CWD, directory, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
                .map_err(|error| format!("cannot keep {}: {error}", directory.display()))?;
        }
    }
    Ok(())
}

/// The processes that the JVM sees are those of its namespace.
pub(super) fn show_own_processes() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

fn opened(directory: &Path) -> Result<OwnedFd, String> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, directory, flags).map_err(|error| format!("cannot keep {}: {error}", directory.display()))
}

/// Where overlays write to. Its folders are held open: an overlay may cover the way to them.
struct Layers<'a> {
    path: &'a Path,
    folder: File,
    memory: Option<File>,
    mounter: Mounter,
    count: usize,
}

impl<'a> Layers<'a> {
    fn open(path: &'a Path, mounter: Mounter) -> io::Result<Layers<'a>> {
        Ok(Layers {
            path,
            folder: File::open(path)?,
            memory: None,
            mounter,
            count: 0,
        })
    }

    /// On disk if that works. The kernel refuses a layer below the directory that it covers, and some file systems as
    /// layers at all; then changes are in memory.
    fn cover(&mut self, directory: &Path) -> io::Result<()> {
        self.count += 1;
        let name = self.count.to_string();
        let on_disk = by_descriptor(&self.folder).join(&name);
        if !self.path.starts_with(directory) && self.cover_with(directory, &on_disk).is_ok() {
            return Ok(());
        }
        let memory = by_descriptor(self.memory()?);
        self.cover_with(directory, &memory.join(name))
    }

    /// A file system in memory.
    fn memory(&mut self) -> io::Result<&File> {
        if self.memory.is_none() {
            let place = by_descriptor(&self.folder).join("memory");
            fs::create_dir(&place)?;
            let flags = MountFlags::NOSUID | MountFlags::NODEV;
            mount("tmpfs", &place, "tmpfs", flags, None)?;
            self.memory = Some(File::open(place)?);
        }
        self.memory.as_ref().ok_or(io::ErrorKind::NotFound.into())
    }

    fn cover_with(&self, directory: &Path, layer: &Path) -> io::Result<()> {
        let (upper, work) = (layer.join("upper"), layer.join("work"));
        fs::create_dir_all(&upper)?;
        fs::create_dir_all(&work)?;
        look_like(&upper, directory)?;
        // Paths may contain what separates options; descriptors do not.
        let opened = [directory, &upper, &work].map(File::open);
        let [lower, upper, work] = opened;
        let (lower, upper, work) = (lower?, upper?, work?);
        let path = |file: &File| by_descriptor(file).display().to_string();
        let more = match self.mounter {
            Mounter::Root => "index=off,redirect_dir=on",
            Mounter::User => "userxattr",
        };
        let options = format!(
            "lowerdir={},upperdir={},workdir={},{more}",
            path(&lower),
            path(&upper),
            path(&work)
        );
        let options = CString::new(options)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        Ok(mount("unflake", directory, "overlay", flags, options.as_c_str())?)
    }
}

fn by_descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// The upper directory's owner and rights are those that the covered directory will have.
fn look_like(upper: &Path, directory: &Path) -> io::Result<()> {
    let metadata = directory.metadata()?;
    // A user cannot give a directory away. That it is theirs then is seen by who asks for its owner only.
    let _ = chown(upper, Some(metadata.uid()), Some(metadata.gid()));
    let mut mode = metadata.mode() & 0o7777;
    if access(directory, Access::WRITE_OK).is_err() {
        mode &= !0o222;
    }
    fs::set_permissions(upper, Permissions::from_mode(mode))
}
