//! Which static fields are roots.

use super::Heap;
use super::fields::{FINAL, STATIC, SYNTHETIC, is_reference, kind};
use crate::ffi::{Jni, Object};
use unflake_heap::Root;
use unflake_heap::abstraction::{Read, is_jdk, rule_of};
use unflake_protocol::dotted;

impl Heap {
    /// A class was loaded: are its static fields roots?
    pub(crate) fn class_prepared(&self, jni: Jni<'_>, class: Object) {
        let Some(name) = self.jvmti.class_name(class) else {
            return;
        };
        if self.is_root_class(&dotted(&name))
            && let Some(weak) = jni.weak(class)
        {
            self.lock().fresh.push(weak);
        }
    }

    fn is_root_class(&self, class: &str) -> bool {
        if class.starts_with("java.util.Unflake") || class.starts_with("unflake.runner.") {
            return false;
        }
        let roots = &self.watch.roots;
        if self.looks_everywhere() {
            let inside = [
                "sun.",
                "jdk.",
                "com.sun.",
                "java.lang.",
                "java.nio.",
                "java.security.",
            ];
            let is_inside = inside.iter().any(|start| class.starts_with(start));
            return !is_inside
                && rule_of(class).is_none_or(|rule| is_jdk(class) || rule.read != Read::Opaque);
        }
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        roots.packages.iter().any(|own| own == package)
    }

    /// Not in the project's own packages only.
    fn looks_everywhere(&self) -> bool {
        self.watch.roots.all || !self.watch.roots.include.is_empty()
    }

    /// Then also classes that were there before us.
    pub(crate) fn take_loaded(&self, jni: Jni<'_>) {
        if !self.looks_everywhere() {
            return;
        }
        jni.with_references(1 << 16, || {
            for class in self.jvmti.loaded_classes().unwrap_or_default() {
                self.class_prepared(jni, class);
            }
        });
    }

    pub(crate) fn new_classes(&self, jni: Jni<'_>) -> Option<Object> {
        let fresh = std::mem::take(&mut self.lock().fresh);
        let classes: Vec<Object> = fresh.into_iter().filter_map(|weak| jni.strong(weak)).collect();
        jni.object_array(&classes)
    }

    /// The static fields of a class that may be roots; null for those that are not.
    pub(crate) fn statics(&self, jni: Jni<'_>, class: Object, first: Object) -> Option<Object> {
        let name = dotted(&self.jvmti.class_name(class)?);
        let mut roots = Vec::new();
        for field in self.fields(class) {
            let full = format!("{name}.{}", field.name);
            let is_constant = field.modifiers & FINAL != 0 && !is_reference(&field.descriptor);
            if field.modifiers & STATIC == 0
                || field.modifiers & SYNTHETIC != 0
                || field.name.starts_with('$')
                || is_constant
                || !self.asked.is_root(&full)
            {
                continue;
            }
            // Its type may be missing; then it holds nothing but null.
            let Some(reflected) = jni.reflected(field.class, field.id, true) else {
                continue;
            };
            roots.push((reflected, full, kind(&field.descriptor)));
        }
        let mut known = self.lock();
        let mut number = None;
        let mut objects = Vec::new();
        for (reflected, name, kind) in roots {
            let id = known.states.shapes.add_root(Root { name, kind });
            number.get_or_insert(id);
            objects.push(reflected);
        }
        drop(known);
        jni.set_ints(first, &[i32::try_from(number.unwrap_or(0)).ok()?]);
        jni.object_array(&objects)
    }

    pub(crate) fn shared_root(&self, name: String) -> i32 {
        let id = self.lock().states.shapes.add_root(Root { name, kind: b'L' });
        i32::try_from(id).unwrap_or(i32::MAX)
    }
}
