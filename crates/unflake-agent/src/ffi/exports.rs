//! What the JVM calls: `Agent_OnLoad`, the callbacks, and the natives of `java.util.UnflakeNative`. Each is a thin
//! function around [`guard`]: a panic of ours is told to the program and switches the agent off, and Java goes on.

use super::jni::{Jni, Object};
use super::jvmti::Jvmti;
use crate::agent::{self, Agent};
use crate::heap::{WalkTurn, Walked};
use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jboolean, jint, jlong, jobject};
use jvmti_bindings::sys::jvmti::{jvmtiEnv, jvmtiEventCallbacks};
use std::ffi::{CStr, c_char, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// Runs `body` and keeps its panics on this side of the border.
fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "a panic without a message".to_owned());
        // A second panic, while telling of the first, is dropped: there is nobody left to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| agent::bug(&message)));
        otherwise
    })
}

/// Whatever goes wrong here, the JVM must start as if we were not there: the answer is always "fine".
#[unsafe(no_mangle)]
extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *const c_char, _reserved: *mut c_void) -> jint {
    guard((), || {
        let options = if options.is_null() {
            String::new()
        } else {
            // SAFETY: the JVM's option string ends with a zero byte and lives during this call.
            unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
        };
        // SAFETY: `vm` is the pointer that `Agent_OnLoad` was given.
        let Some(jvmti) = (unsafe { Jvmti::of(vm) }) else {
            return;
        };
        let mut callbacks = jvmtiEventCallbacks::default();
        callbacks.VMInit = Some(vm_init);
        callbacks.VMDeath = Some(vm_death);
        callbacks.ClassPrepare = Some(class_prepare);
        callbacks.ClassFileLoadHook = Some(class_file_load_hook);
        if jvmti.add_capabilities().is_ok() && jvmti.set_callbacks(&callbacks).is_ok() {
            Agent::load(jvmti, &options);
        }
    });
    0
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject) {
    // SAFETY: `env` is what the JVM passed to this callback.
    with_agent(env, (), |agent, jni| agent.vm_started(jni));
}

unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    with_agent(env, (), |agent, _| agent.vm_ends());
}

unsafe extern "system" fn class_prepare(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject, class: jobject) {
    with_agent(env, (), |agent, jni| agent.class_prepared(jni, Object(class)));
}

unsafe extern "system" fn class_file_load_hook(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jobject,
    loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    bytes: *const c_uchar,
    new_length: *mut jint,
    new_bytes: *mut *mut c_uchar,
) {
    if name.is_null() || env.is_null() {
        return;
    }
    with_agent(env, (), |agent, jni| {
        // SAFETY: the JVM's class names end with a zero byte and live during this callback.
        let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else {
            return;
        };
        // SAFETY: the JVM passes `length` bytes, which live during this callback.
        let old = unsafe { std::slice::from_raw_parts(bytes, usize::try_from(length).unwrap_or(0)) };
        let Some(new) = agent.class_loads(jni, name, !loader.is_null(), !redefined.is_null(), old) else {
            return;
        };
        let Ok(length) = jint::try_from(new.len()) else {
            return;
        };
        if let Some(copy) = agent.jvmti().copy(&new) {
            // SAFETY: both are the callback's places for results; the memory was allocated by JVMTI as it must be.
            unsafe {
                *new_length = length;
                *new_bytes = copy;
            }
        }
    });
}

/// Runs `body` with the agent, if it was loaded (the natives can only be called once it was).
fn with_agent<T: Clone>(
    env: *mut JNIEnv,
    otherwise: T,
    body: impl FnOnce(&'static Agent, Jni<'_>) -> T,
) -> T {
    let fallback = otherwise.clone();
    guard(otherwise, || match Agent::get() {
        // SAFETY: every caller is a callback or a native and passes the pointer that the JVM gave it.
        Some(agent) => body(agent, unsafe { Jni::of(env) }),
        None => fallback,
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_number(
    env: *mut JNIEnv,
    _: jobject,
    object: jobject,
) -> jlong {
    with_agent(env, 0, |agent, _| agent.jvmti().tag(Object(object)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_setNumber(
    env: *mut JNIEnv,
    _: jobject,
    object: jobject,
    number: jlong,
) {
    // An object without a number gets a new one at its next choice: less stable, but allowed.
    with_agent(env, (), |agent, _| {
        agent.jvmti().set_tag(Object(object), number).unwrap_or(())
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_hasOwnHashCode(
    env: *mut JNIEnv,
    _: jobject,
    class: jobject,
) -> jboolean {
    // A class that cannot be asked counts by its name: coarser, but allowed.
    with_agent(env, 0, |_, jni| {
        u8::from(jni.has_own_hash_code(Object(class)).unwrap_or(false))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_loaded(
    env: *mut JNIEnv,
    _: jobject,
    names: jobject,
) -> jlong {
    with_agent(env, 0, |agent, jni| {
        agent.loaded(jni, Object(names)).cast_signed()
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_threads(env: *mut JNIEnv, _: jobject) -> jobject {
    handed(with_agent(env, None, |agent, jni| {
        let threads = || jni.object_array(&agent.jvmti().threads().unwrap_or_default());
        jni.making(REFERENCES, threads).map(SendObject)
    }))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_callerIsProject(env: *mut JNIEnv, _: jobject) -> jboolean {
    with_agent(env, 0, |agent, jni| u8::from(agent.caller_is_project(jni)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_callerAllowed(env: *mut JNIEnv, _: jobject) -> jboolean {
    with_agent(env, 1, |agent, jni| u8::from(agent.caller_allowed(jni)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_event(
    env: *mut JNIEnv,
    _: jobject,
    kind: jint,
    fields: jobject,
    numbers: jobject,
) {
    with_agent(env, (), |agent, jni| {
        agent.event(kind, jni.texts(Object(fields)), &jni.longs(Object(numbers)))
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_hashes(env: *mut JNIEnv, _: jobject, drawn: jobject) -> jint {
    with_agent(env, unflake_protocol::codes::DRAWN_UNKNOWN, |_, jni| {
        crate::hashes::follow(&jni.ints(Object(drawn)))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_nextCommand(env: *mut JNIEnv, _: jobject) -> jobject {
    handed(with_agent(env, None, |agent, jni| {
        agent.next_command(jni).map(SendObject)
    }))
}

/// Hands an object to Java; null if there is none.
fn handed(object: Option<SendObject>) -> jobject {
    object.map_or(ptr::null_mut(), |object| object.0.0)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_shape(
    env: *mut JNIEnv,
    _: jobject,
    class: jobject,
    about: jobject,
) -> jobject {
    handed(with_agent(env, None, |agent, jni| {
        let heap = agent.heap()?;
        let made = jni.making(REFERENCES, || heap.shape(jni, Object(class), Object(about)));
        made.map(SendObject)
    }))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_statics(
    env: *mut JNIEnv,
    _: jobject,
    class: jobject,
    first: jobject,
) -> jobject {
    handed(with_agent(env, None, |agent, jni| {
        let heap = agent.heap()?;
        let made = jni.making(REFERENCES, || heap.statics(jni, Object(class), Object(first)));
        made.map(SendObject)
    }))
}

/// A class may have as many fields, a JVM as many threads.
const REFERENCES: jint = 1 << 16;

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_sharedRoot(
    env: *mut JNIEnv,
    _: jobject,
    name: jobject,
) -> jint {
    with_agent(env, -1, |agent, jni| {
        match (agent.heap(), jni.text(Object(name))) {
            (Some(heap), Some(name)) => heap.shared_root(name),
            _ => -1,
        }
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_newClasses(env: *mut JNIEnv, _: jobject) -> jobject {
    handed(with_agent(env, None, |agent, jni| {
        let heap = agent.heap()?;
        jni.making(REFERENCES, || heap.new_classes(jni)).map(SendObject)
    }))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_walked(
    env: *mut JNIEnv,
    _: jobject,
    address: jlong,
    bytes: jlong,
    by: jint,
    names: jobject,
    again: jboolean,
    jvm: jobject,
    nanos: jlong,
    held: jlong,
    while_walked: jlong,
) -> jboolean {
    with_agent(env, 0, |agent, jni| {
        // SAFETY: `UnflakeWords` has written this many bytes there, and waits until we return.
        let part =
            unsafe { std::slice::from_raw_parts(address as *const u8, usize::try_from(bytes).unwrap_or(0)) };
        let jvm = (!jvm.is_null()).then(|| jni.texts(Object(jvm)));
        let walked = Walked {
            part,
            turn: if again == 0 {
                WalkTurn::First
            } else {
                WalkTurn::Again
            },
            nanos: u64::try_from(nanos).unwrap_or(0),
            held: u64::try_from(held).unwrap_or(0),
            while_walked: u64::try_from(while_walked).unwrap_or(0),
        };
        u8::from(agent.walked(&walked, by, jni.texts(Object(names)), jvm))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_walkedPart(
    env: *mut JNIEnv,
    _: jobject,
    address: jlong,
    bytes: jlong,
) {
    with_agent(env, (), |agent, _| {
        // SAFETY: as in `walked`.
        let part =
            unsafe { std::slice::from_raw_parts(address as *const u8, usize::try_from(bytes).unwrap_or(0)) };
        if let Some(heap) = agent.heap() {
            heap.walked_part(part);
        }
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_rewind(env: *mut JNIEnv, _: jobject, to: jlong) {
    with_agent(env, (), |agent, _| {
        if let Some(heap) = agent.heap() {
            heap.rewind(usize::try_from(to).unwrap_or(0));
        }
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_watchFiles(env: *mut JNIEnv, _: jobject) {
    with_agent(env, (), |agent, jni| agent.watch_files(jni));
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_refused(
    env: *mut JNIEnv,
    _: jobject,
    root: jint,
    problem: jobject,
) {
    with_agent(env, (), |agent, jni| {
        agent.refused(root, &jni.text(Object(problem)).unwrap_or_default());
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_sampled(env: *mut JNIEnv, _: jobject, root: jint) {
    with_agent(env, (), |agent, _| agent.sampled(root));
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_notLoaded(
    env: *mut JNIEnv,
    _: jobject,
    name: jobject,
    problem: jint,
    detail: jobject,
) {
    with_agent(env, (), |agent, jni| {
        let text = |object: jobject| jni.text(Object(object)).unwrap_or_default();
        agent.not_loaded(text(name), problem, text(detail));
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_walkFailed(
    env: *mut JNIEnv,
    _: jobject,
    by: jint,
    names: jobject,
    problem: jobject,
) {
    with_agent(env, (), |agent, jni| {
        let problem = jni.text(Object(problem)).unwrap_or_default();
        agent.walk_failed(by, jni.texts(Object(names)), problem);
    });
}

/// A local reference on its way back to Java.
#[derive(Clone)]
struct SendObject(Object);

#[unsafe(no_mangle)]
extern "system" fn Java_java_util_UnflakeNative_runFinished(env: *mut JNIEnv, _: jobject) {
    with_agent(env, (), |agent, jni| agent.run_finished(jni));
}
