//! JVMTI functions as safe methods.

use super::jni::Object;
use jvmti_bindings::sys::jni::{JavaVM, jint, jobject};
use jvmti_bindings::sys::jvmti::{self as sys, jvmtiEnv, jvmtiError};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{self, NonNull};

/// A JVMTI environment. It lives as long as the JVM and may be used on any thread.
#[derive(Clone, Copy)]
pub(crate) struct Jvmti(NonNull<jvmtiEnv>);

// SAFETY: the JVMTI specification allows every function of an environment on every attached thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// What the agent is told about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    VmInit,
    VmDeath,
    ClassPrepare,
    ClassFileLoadHook,
}

impl Event {
    fn number(self) -> sys::jvmtiEvent {
        match self {
            Event::VmInit => sys::JVMTI_EVENT_VM_INIT,
            Event::VmDeath => sys::JVMTI_EVENT_VM_DEATH,
            Event::ClassPrepare => sys::JVMTI_EVENT_CLASS_PREPARE,
            Event::ClassFileLoadHook => sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        }
    }
}

/// A method, as a number that can be kept: it stays the same while the method's class is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MethodId(usize);

/// A field, as a number that can be kept while its class is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldId(pub(super) usize);

/// Calls one function of the table and turns its code into a `Result`.
macro_rules! call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the environment is the JVM's own, and HotSpot fills every slot of its table. Pointers among the
        // arguments outlive the call; references were handed to the running callback on this thread.
        let error = unsafe {
            match (*(*$env.0.as_ptr()).functions).$function {
                Some(function) => function($env.0.as_ptr() $(, $argument)*),
                None => jvmtiError::NOT_AVAILABLE,
            }
        };
        if error == jvmtiError::NONE { Ok(()) } else { Err(error.raw()) }
    }};
}

impl Jvmti {
    /// An environment of our own, from the pointer that `Agent_OnLoad` is given.
    ///
    /// # Safety
    /// `vm` must be that pointer.
    pub(super) unsafe fn of(vm: *mut JavaVM) -> Option<Jvmti> {
        let mut env: *mut c_void = ptr::null_mut();
        // SAFETY: the caller's promise; `env` outlives the call.
        let code = unsafe { ((**vm).GetEnv)(vm, &raw mut env, sys::JVMTI_VERSION_1_2) };
        (code == 0).then_some(())?;
        NonNull::new(env.cast()).map(Jvmti)
    }

    /// What we ask for switches nothing off in the JVM: class data sharing stays, and so do its fast paths.
    pub(super) fn add_capabilities(self) -> Result<(), jint> {
        let mut wanted = sys::jvmtiCapabilities::default();
        wanted.set_can_retransform_classes(true);
        wanted.set_can_tag_objects(true);
        call!(self, AddCapabilities, &raw const wanted)
    }

    pub(super) fn set_callbacks(self, callbacks: &sys::jvmtiEventCallbacks) -> Result<(), jint> {
        let size = jint::try_from(size_of::<sys::jvmtiEventCallbacks>()).expect("a table of a few pointers");
        call!(self, SetEventCallbacks, callbacks, size)
    }

    pub(crate) fn enable(self, event: Event, on: bool) -> Result<(), jint> {
        let mode = if on { sys::JVMTI_ENABLE } else { sys::JVMTI_DISABLE };
        call!(
            self,
            SetEventNotificationMode,
            mode,
            event.number(),
            ptr::null_mut()
        )
    }

    pub(crate) fn loaded_classes(self) -> Result<Vec<Object>, jint> {
        let mut count = 0;
        let mut classes: *mut jobject = ptr::null_mut();
        call!(self, GetLoadedClasses, &raw mut count, &raw mut classes)?;
        Ok(self.references(classes, count))
    }

    /// All live threads.
    pub(crate) fn threads(self) -> Result<Vec<Object>, jint> {
        let mut count = 0;
        let mut threads: *mut jobject = ptr::null_mut();
        call!(self, GetAllThreads, &raw mut count, &raw mut threads)?;
        Ok(self.references(threads, count))
    }

    /// Takes over an array of local references that the JVM has just made for us.
    fn references(self, array: *mut jobject, count: jint) -> Vec<Object> {
        if array.is_null() {
            return Vec::new();
        }
        // SAFETY: the JVM said that there are `count` references, which are ours as local references.
        let list = unsafe { std::slice::from_raw_parts(array, usize::try_from(count).unwrap_or(0)) };
        let list = list.iter().map(|&object| Object(object)).collect();
        self.free(array);
        list
    }

    /// The class's binary name with slashes; `None` for arrays.
    pub(crate) fn class_name(self, class: Object) -> Option<String> {
        let signature = self.signature(class)?;
        Some(signature.strip_prefix('L')?.strip_suffix(';')?.to_owned())
    }

    /// The class's descriptor: `Lpackage/Class;`, `[I`.
    pub(crate) fn signature(self, class: Object) -> Option<String> {
        let mut signature: *mut c_char = ptr::null_mut();
        call!(
            self,
            GetClassSignature,
            class.0,
            &raw mut signature,
            ptr::null_mut()
        )
        .ok()?;
        Some(self.text(signature))
    }

    /// The fields that a class declares, static ones too; none of a class that is not prepared yet.
    pub(crate) fn fields(self, class: Object) -> Vec<FieldId> {
        let mut count = 0;
        let mut fields: *mut *mut c_void = ptr::null_mut();
        if call!(
            self,
            GetClassFields,
            class.0,
            &raw mut count,
            (&raw mut fields).cast()
        )
        .is_err()
        {
            return Vec::new();
        }
        if fields.is_null() {
            // That is an array of nothing for some JVMs.
            return Vec::new();
        }
        // SAFETY: on success `fields` points to `count` ids, which are ours until we free the array.
        let list = unsafe { std::slice::from_raw_parts(fields, usize::try_from(count).unwrap_or(0)) };
        let list = list.iter().map(|&field| FieldId(field as usize)).collect();
        self.free(fields);
        list
    }

    /// A field's name and descriptor.
    pub(crate) fn field_name(self, class: Object, field: FieldId) -> Option<(String, String)> {
        let mut name: *mut c_char = ptr::null_mut();
        let mut descriptor: *mut c_char = ptr::null_mut();
        call!(
            self,
            GetFieldName,
            class.0,
            (field.0 as *mut c_void).cast(),
            &raw mut name,
            &raw mut descriptor,
            ptr::null_mut()
        )
        .ok()?;
        Some((self.text(name), self.text(descriptor)))
    }

    pub(crate) fn field_modifiers(self, class: Object, field: FieldId) -> i32 {
        let mut modifiers = 0;
        let id = (field.0 as *mut c_void).cast();
        // What cannot be asked has no modifiers, so it is looked at like any other.
        let _ = call!(self, GetFieldModifiers, class.0, id, &raw mut modifiers);
        modifiers
    }

    /// Null for the boot loader.
    pub(crate) fn class_loader(self, class: Object) -> Result<Object, jint> {
        let mut loader: jobject = ptr::null_mut();
        call!(self, GetClassLoader, class.0, &raw mut loader)?;
        Ok(Object(loader))
    }

    pub(crate) fn is_modifiable(self, class: Object) -> bool {
        let mut answer = 0;
        call!(self, IsModifiableClass, class.0, &raw mut answer).is_ok() && answer != 0
    }

    pub(crate) fn retransform(self, classes: &[Object]) -> Result<(), jint> {
        let references: Vec<jobject> = classes.iter().map(|class| class.0).collect();
        let count = jint::try_from(references.len()).expect("fewer classes than a JVM can hold");
        call!(self, RetransformClasses, count, references.as_ptr())
    }

    pub(crate) fn tag(self, object: Object) -> i64 {
        let mut tag = 0;
        // An object that cannot be looked at has no number; the choice then falls back to one of its own.
        if call!(self, GetTag, object.0, &raw mut tag).is_ok() {
            tag
        } else {
            0
        }
    }

    pub(crate) fn set_tag(self, object: Object, tag: i64) -> Result<(), jint> {
        call!(self, SetTag, object.0, tag)
    }

    /// Frames of the current thread, the innermost first.
    pub(crate) fn stack(self, from: usize, frames: &mut Vec<MethodId>) {
        // Whoever looks for a caller mostly finds one among these.
        const BATCH: usize = 12;
        frames.clear();
        let mut buffer = [sys::jvmtiFrameInfo {
            method: ptr::null_mut(),
            location: 0,
        }; BATCH];
        let mut count: jint = 0;
        let (from, most) = (jint::try_from(from).unwrap_or(jint::MAX), BATCH as jint);
        if call!(
            self,
            GetStackTrace,
            ptr::null_mut(),
            from,
            most,
            buffer.as_mut_ptr(),
            &raw mut count
        )
        .is_ok()
        {
            let count = usize::try_from(count).unwrap_or(0);
            frames.extend(
                buffer[..count]
                    .iter()
                    .map(|frame| MethodId(frame.method as usize)),
            );
        }
    }

    /// The declaring class (with slashes) and the name of a method.
    pub(crate) fn method_name(self, jni: super::Jni<'_>, method: MethodId) -> Option<(String, String)> {
        let id = method.0 as *mut c_void;
        let mut class: jobject = ptr::null_mut();
        call!(self, GetMethodDeclaringClass, id, &raw mut class).ok()?;
        let class_name = self.class_name(Object(class));
        jni.delete_local(Object(class));
        let mut name: *mut c_char = ptr::null_mut();
        call!(
            self,
            GetMethodName,
            id,
            &raw mut name,
            ptr::null_mut(),
            ptr::null_mut()
        )
        .ok()?;
        let name = self.text(name);
        Some((class_name?, name))
    }

    /// A copy in the JVM's memory, as the class-file hook must hand it over.
    pub(super) fn copy(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory: *mut u8 = ptr::null_mut();
        call!(self, Allocate, i64::try_from(bytes.len()).ok()?, &raw mut memory).ok()?;
        // SAFETY: `Allocate` gave us room for exactly this many bytes, which nobody else knows of.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Some(memory)
    }

    /// Takes over a string that the JVM allocated for us.
    fn text(self, text: *mut c_char) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: JVMTI's strings end with a zero byte and are ours until we free them.
        let owned = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        self.free(text);
        owned
    }

    fn free<T>(self, memory: *mut T) {
        // Nothing can be done about memory that the JVM does not take back.
        let _ = call!(self, Deallocate, memory.cast());
    }
}
