//! JNI functions as safe methods. Every call that can throw checks and clears, so that nothing of ours is ever thrown
//! into Java code and `-Xcheck:jni` has nothing to complain about.

use super::jvmti::FieldId;
use jvmti_bindings::sys::jni::{JNIEnv, jobject, jvalue};
use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

/// The calling thread's environment, for the duration of one callback.
#[derive(Clone, Copy)]
pub(crate) struct Jni<'call> {
    env: *mut JNIEnv,
    call: PhantomData<&'call ()>,
}

/// A reference to a Java object; null is allowed. Valid on the thread and during the call that gave it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object(pub(super) jobject);

impl Object {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A reference that stays valid on every thread; never given back, since ours live as long as the JVM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global(jobject);

// SAFETY: the JNI specification makes global references valid on all threads.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl Global {
    pub(crate) fn object(self) -> Object {
        Object(self.0)
    }
}

/// A reference that does not keep its object alive.
#[derive(Debug)]
pub(crate) struct Weak(jobject);

// SAFETY: weak global references are valid on all threads.
unsafe impl Send for Weak {}

/// An argument of a Java method.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Int(i32),
    Long(i64),
    Bool(bool),
    Double(f64),
    Object(Object),
}

impl Value {
    fn raw(self) -> jvalue {
        match self {
            Value::Int(i) => jvalue { i },
            Value::Long(j) => jvalue { j },
            Value::Bool(z) => jvalue { z: u8::from(z) },
            Value::Double(d) => jvalue { d },
            Value::Object(object) => jvalue { l: object.0 },
        }
    }
}

/// Calls one function of the table.
macro_rules! call {
    ($jni:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: `env` is the pointer that the JVM passed to the callback we are in, on this thread; pointers among
        // the arguments outlive the call, references are valid on this thread, and no exception is pending.
        unsafe { ((**$jni.env).$function)($jni.env $(, $argument)*) }
    }};
}

impl Jni<'_> {
    /// # Safety
    /// `env` must be the pointer that the JVM passed to the running callback, and `'call` must not outlive it.
    pub(super) unsafe fn of(env: *mut JNIEnv) -> Self {
        Jni {
            env,
            call: PhantomData,
        }
    }

    pub(crate) fn null(self) -> Object {
        Object(ptr::null_mut())
    }

    /// Defines a class of the boot loader.
    pub(crate) fn define_boot_class(self, name: &str, bytes: &[u8]) -> Option<Object> {
        let name = CString::new(name).ok()?;
        let length = i32::try_from(bytes.len()).ok()?;
        let class = call!(
            self,
            DefineClass,
            name.as_ptr(),
            ptr::null_mut(),
            bytes.as_ptr().cast(),
            length
        );
        self.checked(class)
    }

    /// Finds a class; in callbacks of the JVM, through the system class loader.
    pub(crate) fn find_class(self, name: &str) -> Option<Object> {
        let name = CString::new(name).ok()?;
        let class = call!(self, FindClass, name.as_ptr());
        self.checked(class)
    }

    pub(crate) fn global(self, object: Object) -> Option<Global> {
        let global = call!(self, NewGlobalRef, object.0);
        (!global.is_null()).then_some(Global(global))
    }

    pub(crate) fn weak(self, object: Object) -> Option<Weak> {
        let weak = call!(self, NewWeakGlobalRef, object.0);
        (!self.clear() && !weak.is_null()).then_some(Weak(weak.cast()))
    }

    /// The object that a weak reference leads to, if it is still there; the reference is given back.
    pub(crate) fn strong(self, weak: Weak) -> Option<Object> {
        let object = call!(self, NewLocalRef, weak.0);
        call!(self, DeleteWeakGlobalRef, weak.0.cast());
        (!object.is_null()).then_some(Object(object))
    }

    /// `None` for `Object` and for interfaces.
    pub(crate) fn superclass(self, class: Object) -> Option<Object> {
        let above = call!(self, GetSuperclass, class.0);
        (!above.is_null()).then_some(Object(above))
    }

    /// The `java.lang.reflect.Field`; `None`: its type cannot be loaded.
    pub(crate) fn reflected(self, class: Object, field: FieldId, is_static: bool) -> Option<Object> {
        let id = field.0 as *mut std::ffi::c_void;
        let object = call!(self, ToReflectedField, class.0, id.cast(), u8::from(is_static));
        self.checked(object)
    }

    /// An `Object[]` of these.
    pub(crate) fn object_array(self, objects: &[Object]) -> Option<Object> {
        let class = self.find_class("java/lang/Object")?;
        let length = i32::try_from(objects.len()).ok()?;
        let array = call!(self, NewObjectArray, length, class.0, ptr::null_mut());
        self.delete_local(class);
        let array = self.checked(array)?;
        for (i, object) in (0i32..).zip(objects) {
            call!(self, SetObjectArrayElement, array.0, i, object.0);
            if self.clear() {
                return None;
            }
        }
        Some(array)
    }

    /// Fills the beginning of an `int[]`.
    pub(crate) fn set_ints(self, array: Object, values: &[i32]) {
        let length = i32::try_from(values.len()).unwrap_or(0);
        call!(self, SetIntArrayRegion, array.0, 0, length, values.as_ptr());
        self.clear();
    }

    pub(crate) fn is_same(self, one: Object, other: Object) -> bool {
        call!(self, IsSameObject, one.0, other.0) != 0
    }

    /// The loader that this one asks first; `None` if that is the boot loader.
    pub(crate) fn parent_loader(self, loader: Object) -> Option<Object> {
        let class = self.find_class("java/lang/ClassLoader")?;
        let (name, descriptor) = (c"getParent", c"()Ljava/lang/ClassLoader;");
        let method = call!(self, GetMethodID, class.0, name.as_ptr(), descriptor.as_ptr());
        self.delete_local(class);
        if self.clear() || method.is_null() {
            return None;
        }
        let parent = call!(self, CallObjectMethodA, loader.0, method, ptr::null());
        self.checked(parent)
    }

    /// Whether objects of this class, which is initialised, have another `hashCode` than `Object`'s. Loads no class.
    pub(crate) fn has_own_hash_code(self, class: Object) -> Option<bool> {
        let method = |class: Object| {
            let (name, descriptor) = (c"hashCode", c"()I");
            let method = call!(self, GetMethodID, class.0, name.as_ptr(), descriptor.as_ptr());
            (!self.clear() && !method.is_null()).then_some(method)
        };
        let object = self.find_class("java/lang/Object")?;
        let inherited = method(object);
        self.delete_local(object);
        Some(method(class)? != inherited?)
    }

    pub(crate) fn delete_local(self, object: Object) {
        call!(self, DeleteLocalRef, object.0);
    }

    /// Runs `body` with room for this many references, all of which it gives back at the end.
    pub(crate) fn with_references<T>(self, count: i32, body: impl FnOnce() -> T) -> Option<T> {
        if call!(self, PushLocalFrame, count) != 0 {
            self.clear();
            return None;
        }
        let result = body();
        call!(self, PopLocalFrame, ptr::null_mut());
        Some(result)
    }

    /// Like [`Jni::with_references`], for a body that makes an object: that one stays.
    pub(crate) fn making(self, count: i32, body: impl FnOnce() -> Option<Object>) -> Option<Object> {
        if call!(self, PushLocalFrame, count) != 0 {
            self.clear();
            return None;
        }
        let made = body().map_or(ptr::null_mut(), |object| object.0);
        let kept = call!(self, PopLocalFrame, made);
        (!kept.is_null()).then_some(Object(kept))
    }

    pub(crate) fn call_static_void(
        self,
        class: Object,
        name: &str,
        descriptor: &str,
        arguments: &[Value],
    ) -> bool {
        let Some(method) = self.static_method(class, name, descriptor) else {
            return false;
        };
        let arguments: Vec<jvalue> = arguments.iter().map(|value| value.raw()).collect();
        call!(self, CallStaticVoidMethodA, class.0, method, arguments.as_ptr());
        !self.clear()
    }

    pub(crate) fn call_static_object(
        self,
        class: Object,
        name: &str,
        descriptor: &str,
        arguments: &[Value],
    ) -> Option<Object> {
        let method = self.static_method(class, name, descriptor)?;
        let arguments: Vec<jvalue> = arguments.iter().map(|value| value.raw()).collect();
        let result = call!(self, CallStaticObjectMethodA, class.0, method, arguments.as_ptr());
        self.checked(result)
    }

    /// Writes a static field, final or not. `false`: there is no such field.
    pub(crate) fn set_static(self, class: Object, name: &str, value: Value) -> bool {
        let descriptor = match value {
            Value::Int(_) => c"I",
            Value::Long(_) => c"J",
            Value::Bool(_) => c"Z",
            Value::Double(_) | Value::Object(_) => return false,
        };
        let Ok(name) = CString::new(name) else {
            return false;
        };
        let field = call!(
            self,
            GetStaticFieldID,
            class.0,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        if self.clear() || field.is_null() {
            return false;
        }
        match value {
            Value::Int(value) => call!(self, SetStaticIntField, class.0, field, value),
            Value::Long(value) => call!(self, SetStaticLongField, class.0, field, value),
            Value::Bool(value) => call!(self, SetStaticBooleanField, class.0, field, u8::from(value)),
            Value::Double(_) | Value::Object(_) => {}
        }
        true
    }

    pub(crate) fn string(self, text: &str) -> Option<Object> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = i32::try_from(units.len()).ok()?;
        let string = call!(self, NewString, units.as_ptr(), length);
        self.checked(string)
    }

    pub(crate) fn system_property(self, name: &str) -> Option<String> {
        let system = self.find_class("java/lang/System")?;
        let name = self.string(name)?;
        let descriptor = "(Ljava/lang/String;)Ljava/lang/String;";
        let value = self.call_static_object(system, "getProperty", descriptor, &[Value::Object(name)]);
        let text = value.and_then(|value| self.text(value));
        value
            .into_iter()
            .chain([name, system])
            .for_each(|object| self.delete_local(object));
        text
    }

    /// A Java string's text; `None` for null.
    pub(crate) fn text(self, string: Object) -> Option<String> {
        if string.is_null() {
            return None;
        }
        let length = call!(self, GetStringLength, string.0);
        let mut units = vec![0u16; usize::try_from(length).ok()?];
        call!(self, GetStringRegion, string.0, 0, length, units.as_mut_ptr());
        (!self.clear()).then(|| String::from_utf16_lossy(&units))
    }

    pub(crate) fn string_array(self, texts: &[String]) -> Option<Object> {
        let class = self.find_class("java/lang/String")?;
        let length = i32::try_from(texts.len()).ok()?;
        let array = call!(self, NewObjectArray, length, class.0, ptr::null_mut());
        let array = self.checked(array)?;
        for (i, text) in (0i32..).zip(texts) {
            let string = self.string(text)?;
            call!(self, SetObjectArrayElement, array.0, i, string.0);
            if self.clear() {
                return None;
            }
            self.delete_local(string);
        }
        Some(array)
    }

    pub(crate) fn texts(self, array: Object) -> Vec<Option<String>> {
        let length = if array.is_null() {
            0
        } else {
            call!(self, GetArrayLength, array.0)
        };
        let mut texts = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        for i in 0..length {
            let string = Object(call!(self, GetObjectArrayElement, array.0, i));
            if self.clear() {
                break;
            }
            texts.push(self.text(string));
            self.delete_local(string);
        }
        texts
    }

    pub(crate) fn longs(self, array: Object) -> Vec<i64> {
        let length = if array.is_null() {
            0
        } else {
            call!(self, GetArrayLength, array.0)
        };
        let mut values = vec![0; usize::try_from(length).unwrap_or(0)];
        if length > 0 {
            call!(self, GetLongArrayRegion, array.0, 0, length, values.as_mut_ptr());
            self.clear();
        }
        values
    }

    pub(crate) fn ints(self, array: Object) -> Vec<i32> {
        let length = if array.is_null() {
            0
        } else {
            call!(self, GetArrayLength, array.0)
        };
        let mut values = vec![0; usize::try_from(length).unwrap_or(0)];
        if length > 0 {
            call!(self, GetIntArrayRegion, array.0, 0, length, values.as_mut_ptr());
            self.clear();
        }
        values
    }

    fn static_method(self, class: Object, name: &str, descriptor: &str) -> Option<jobject> {
        let name = CString::new(name).ok()?;
        let descriptor = CString::new(descriptor).ok()?;
        let method = call!(
            self,
            GetStaticMethodID,
            class.0,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        (!self.clear() && !method.is_null()).then_some(method)
    }

    fn checked(self, object: jobject) -> Option<Object> {
        (!self.clear() && !object.is_null()).then_some(Object(object))
    }

    /// Clears a pending exception; whether there was one.
    fn clear(self) -> bool {
        let pending = call!(self, ExceptionCheck) != 0;
        if pending {
            call!(self, ExceptionClear);
        }
        pending
    }
}
