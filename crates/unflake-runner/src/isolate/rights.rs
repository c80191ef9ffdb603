//! The rights that a launcher needs, and how the test JVM comes to have none of them.
//!
//! Root has them. Anybody else becomes the owner of a user namespace in which their own number means themselves, so
//! that tests see the user that they are used to; there they may do what root does until the next program is run.
#![expect(
    unsafe_code,
    reason = "leaving namespaces can break other threads' descriptors"
)]

use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    unshare_unsafe,
};
use std::fs;
use std::io;

/// The right to mount.
const MOUNT: CapabilitySet = CapabilitySet::SYS_ADMIN;

/// Whose rights mount things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mounter {
    Root,
    /// A user, in a namespace of theirs.
    User,
}

/// Leaves the namespaces of the other processes. From here on this process may mount.
pub(super) fn leave(processes: bool) -> io::Result<Mounter> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    if processes {
        // Only processes that are started from now on live there.
        flags |= UnshareFlags::NEWPID;
    }
    let (uid, gid) = (geteuid(), getegid());
    let mounter = if capabilities(None)?.effective.contains(MOUNT) {
        Mounter::Root
    } else {
        flags |= UnshareFlags::NEWUSER;
        Mounter::User
    };
    // SAFETY: descriptors stay shared (no `FILES`), and a launcher has one thread.
    unsafe { unshare_unsafe(flags) }?;
    if mounter == Mounter::User {
        // The kernel wants this before somebody without rights says which groups there are.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
    }
    Ok(mounter)
}

/// The next program that is run still has the right to mount, but cannot hand it on without meaning to.
pub(super) fn keep_for_next() -> io::Result<()> {
    let sets = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            inheritable: sets.inheritable | MOUNT,
            ..sets
        },
    )?;
    configure_capability_in_ambient_set(MOUNT, true)?;
    Ok(remove_capability_from_bounding_set(MOUNT)?)
}

/// Neither this process nor one that it starts can mount any more.
pub(super) fn give_up() -> io::Result<()> {
    clear_ambient_capability_set()?;
    let sets = capabilities(None)?;
    // Who was given the right by the program before it may not be allowed to do this, and need not.
    let _ = remove_capability_from_bounding_set(MOUNT);
    Ok(set_capabilities(
        None,
        CapabilitySets {
            effective: sets.effective - MOUNT,
            permitted: sets.permitted - MOUNT,
            inheritable: sets.inheritable - MOUNT,
        },
    )?)
}
