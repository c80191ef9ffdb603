//! A class file as spans: what is read, what is looked up in it, and how an edited one is put together again.

use std::borrow::Cow;
use std::ops::Range;

use crate::annotation::{self, Annotation};
use crate::code::Code;
use crate::constants::{NewConstants, Pool};
use crate::edit::{self, Change, MethodEdit, Target};
use crate::error::{ClassError, Malformed, NotEdited};
use crate::mutf8;
use crate::reader::{Reader, Write};
use crate::uses::{self, Uses};

const STATIC: u16 = 0x0008;

/// A class file that was walked once: constants, members and attributes are known by where they lie.
#[derive(Clone)]
pub struct ClassFile<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) pool: Pool<'a>,
    minor: u16,
    major: u16,
    access: u16,
    name: &'a [u8],
    super_name: Option<&'a [u8]>,
    interfaces: Vec<&'a [u8]>,
    fields: Vec<Member<'a>>,
    methods: Vec<Member<'a>>,
    attributes: Attributes<'a>,
}

/// A method of a class.
#[derive(Clone, Copy)]
pub struct Method<'c> {
    class: &'c ClassFile<'c>,
    member: &'c Member<'c>,
}

/// A field that a class declares.
#[derive(Clone, Copy)]
pub struct Field<'c> {
    member: &'c Member<'c>,
}

/// A field or method.
#[derive(Clone)]
struct Member<'a> {
    access: u16,
    name: &'a [u8],
    descriptor: &'a [u8],
    attributes: Attributes<'a>,
}

type Attributes<'a> = Vec<Attribute<'a>>;

#[derive(Clone)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: &'a [u8],
    /// The content, without name and length.
    span: Range<usize>,
}

impl<'a> ClassFile<'a> {
    /// Walks the file. Method bodies are not looked into.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ClassError> {
        let mut reader = Reader::new(bytes, 0..bytes.len());
        if reader.u4()? != 0xcafe_babe {
            return Err(ClassError::Malformed {
                at: 0,
                what: "not a class file",
            });
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        let pool = Pool::parse(bytes, reader.at())?;
        let mut reader = Reader::new(bytes, pool.end..bytes.len());
        let access = reader.u2()?;
        let name = pool.class_name(reader.u2()?)?;
        let super_name = match reader.u2()? {
            0 => None,
            index => Some(pool.class_name(index)?),
        };
        let interfaces = (0..reader.u2()?)
            .map(|_| pool.class_name(reader.u2()?))
            .collect::<Result<_, _>>()?;
        let fields = members(&mut reader, &pool)?;
        let methods = members(&mut reader, &pool)?;
        let attributes = attributes(&mut reader, &pool)?;
        reader.finish()?;
        Ok(Self {
            bytes,
            pool,
            minor,
            major,
            access,
            name,
            super_name,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// Binary name with slashes: `java/util/HashMap$KeySet`.
    pub fn name(&self) -> Cow<'a, str> {
        mutf8::decode(self.name)
    }

    /// `None` for `java/lang/Object` and for modules.
    pub fn super_name(&self) -> Option<Cow<'a, str>> {
        self.super_name.map(mutf8::decode)
    }

    pub fn interfaces(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.interfaces.iter().map(|name| mutf8::decode(name))
    }

    /// 52 is Java 8.
    pub fn major(&self) -> u16 {
        self.major
    }

    pub fn access(&self) -> u16 {
        self.access
    }

    pub fn methods(&self) -> impl Iterator<Item = Method<'_>> {
        self.methods.iter().map(|member| Method { class: self, member })
    }

    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.fields.iter().map(|member| Field { member })
    }

    /// The string constants.
    pub fn strings(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.pool.strings().map(mutf8::decode)
    }

    /// The classes that the constant pool names, for arrays those of their elements: sorted, each once.
    pub fn class_references(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .pool
            .class_names()
            .filter_map(element_class)
            .map(|name| mutf8::decode(name).into_owned())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The annotations of the class itself.
    pub fn annotations(&self) -> Vec<Annotation> {
        self.annotations_in(&self.attributes)
    }

    /// The class with its methods edited. Edits of the same method take effect in the order given; none of them sees
    /// what another inserts.
    pub fn edit(&self, edits: &[MethodEdit]) -> Result<Vec<u8>, ClassError> {
        if self.name == b"java/lang/Object" {
            // HotSpot expects `finalize` to be an empty method and dies at boot otherwise.
            return Err(ClassError::Refused {
                class: self.name().into_owned(),
                why: "the JVM relies on its bodies",
            });
        }
        let mut changes: Vec<(Option<&MethodEdit>, Vec<&Change>)> =
            vec![(None, Vec::new()); self.methods.len()];
        for edit in edits {
            let (name, descriptor) = (mutf8::encode(&edit.method), mutf8::encode(&edit.descriptor));
            let index = self
                .methods
                .iter()
                .position(|m| *m.name == *name && *m.descriptor == *descriptor);
            let (first, changes) = index
                .and_then(|index| changes.get_mut(index))
                .ok_or_else(|| self.not_edited(edit, NotEdited::Unknown))?;
            first.get_or_insert(edit);
            changes.push(&edit.change);
        }
        let mut constants = NewConstants::behind(&self.pool);
        let mut codes = Vec::new();
        for (member, (edit, changes)) in self.methods.iter().zip(&changes) {
            if let Some(edit) = edit {
                let code = self.edit_member(member, edit, changes, &mut constants);
                codes.push(code.map_err(|why| self.not_edited(edit, why))?);
            }
        }
        Ok(self.assemble(codes, constants))
    }

    fn edit_member(
        &self,
        member: &Member<'_>,
        edit: &MethodEdit,
        changes: &[&Change],
        constants: &mut NewConstants,
    ) -> Result<NewCode, NotEdited> {
        let (span, code) = self.code(member)?.ok_or(NotEdited::NoCode)?;
        let target = Target {
            class: self,
            method: &edit.method,
            descriptor: &edit.descriptor,
            is_static: member.access & STATIC != 0,
        };
        let insertions = edit::plan(&target, changes, &code, constants)?;
        Ok(NewCode {
            span,
            bytes: code.encode(&self.pool, &insertions, self.has_frames(), constants)?,
        })
    }

    /// The `Code` attribute of a method: where its content lies, and what it says.
    fn code(&self, member: &Member<'_>) -> Result<Option<(Range<usize>, Code<'a>)>, Malformed> {
        let mut found = member
            .attributes
            .iter()
            .filter(|attribute| attribute.name == b"Code");
        let Some(attribute) = found.next() else {
            return Ok(None);
        };
        let at = attribute.span.start;
        if found.next().is_some() {
            return Err(Malformed {
                at,
                what: "more than one `Code` attribute",
            });
        }
        if (self.major, self.minor) < (45, 3) {
            return Err(Malformed {
                at,
                what: "code of Java before 1.1 has another form",
            });
        }
        let code = Code::parse(Reader::new(self.bytes, attribute.span.clone()))?;
        Ok(Some((attribute.span.clone(), code)))
    }

    /// Whether the verifier looks at `StackMapTable`s.
    fn has_frames(&self) -> bool {
        self.major >= 50
    }

    fn not_edited(&self, edit: &MethodEdit, why: NotEdited) -> ClassError {
        ClassError::Method {
            class: self.name().into_owned(),
            method: edit.method.clone(),
            descriptor: edit.descriptor.clone(),
            why,
        }
    }

    /// The file with other contents of some `Code` attributes (in the order of the file) and more constants.
    pub(crate) fn assemble(&self, codes: Vec<NewCode>, constants: NewConstants) -> Vec<u8> {
        let (count, constants) = constants.finish();
        let mut out = Vec::with_capacity(self.bytes.len() + constants.len() + 64 * codes.len());
        out.extend_from_slice(&self.bytes[..8]);
        out.u2(count);
        out.extend_from_slice(&self.bytes[10..self.pool.end]);
        out.extend_from_slice(&constants);
        let mut from = self.pool.end;
        for code in codes {
            // The four bytes before the content are its length.
            out.extend_from_slice(&self.bytes[from..code.span.start - 4]);
            out.u4(u32::try_from(code.bytes.len())
                .expect("its parts are bounded by 16-bit counts and the old length"));
            out.extend_from_slice(&code.bytes);
            from = code.span.end;
        }
        out.extend_from_slice(&self.bytes[from..]);
        out
    }

    /// Name and descriptor of the field that holds the enclosing instance.
    pub(crate) fn outer_field(&self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let is_outer = |field: &&Member<'a>| field.access & STATIC == 0 && field.name.starts_with(b"this$");
        let field = self.fields.iter().find(is_outer)?;
        Some((mutf8::decode(field.name), mutf8::decode(field.descriptor)))
    }

    fn annotations_in(&self, attributes: &[Attribute<'_>]) -> Vec<Annotation> {
        let names: [&[u8]; 2] = [b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations"];
        let attributes = attributes
            .iter()
            .filter(|attribute| names.contains(&attribute.name));
        attributes
            .flat_map(|a| annotation::annotations(Reader::new(self.bytes, a.span.clone()), &self.pool))
            .collect()
    }
}

#[cfg(test)]
impl ClassFile<'_> {
    /// Decodes every body and writes it back with what `insert` wants in it: nothing gives the same bytes again.
    pub(crate) fn rewrite(
        &self,
        mut insert: impl FnMut(Method<'_>, &Code<'_>) -> Vec<edit::Insertion>,
    ) -> Result<Vec<u8>, NotEdited> {
        let mut constants = NewConstants::behind(&self.pool);
        let mut codes = Vec::new();
        for member in &self.methods {
            if let Some((span, code)) = self.code(member)? {
                let insertions = insert(Method { class: self, member }, &code);
                let bytes = code.encode(&self.pool, &insertions, self.has_frames(), &mut constants)?;
                codes.push(NewCode { span, bytes });
            }
        }
        Ok(self.assemble(codes, constants))
    }
}

impl<'c> Method<'c> {
    pub fn name(&self) -> Cow<'c, str> {
        mutf8::decode(self.member.name)
    }

    pub fn descriptor(&self) -> Cow<'c, str> {
        mutf8::decode(self.member.descriptor)
    }

    pub fn is_static(&self) -> bool {
        self.member.access & STATIC != 0
    }

    pub fn access(&self) -> u16 {
        self.member.access
    }

    /// Whether there is a body to edit: neither abstract nor native.
    pub fn has_code(&self) -> bool {
        self.member
            .attributes
            .iter()
            .any(|attribute| attribute.name == b"Code")
    }

    pub fn annotations(&self) -> Vec<Annotation> {
        self.class.annotations_in(&self.member.attributes)
    }

    /// The first and the last line of the source that the body comes from; `None`: there is no body, or nobody knows.
    pub fn lines(&self) -> Result<Option<(u16, u16)>, ClassError> {
        let lines = match self.class.code(self.member)? {
            Some((_, code)) => code.lines(&self.class.pool)?,
            None => Vec::new(),
        };
        Ok(lines.iter().min().copied().zip(lines.iter().max().copied()))
    }

    /// What the body does with fields, and what it calls; nothing where there is no body.
    pub fn uses(&self) -> Result<Uses<'c>, ClassError> {
        match self.class.code(self.member)? {
            Some((_, code)) => {
                let is_static = self.member.access & STATIC != 0;
                Ok(uses::uses(&self.class.pool, &code, &self.descriptor(), is_static))
            }
            None => Ok(Uses::default()),
        }
    }
}

impl<'c> Field<'c> {
    pub fn name(&self) -> Cow<'c, str> {
        mutf8::decode(self.member.name)
    }

    pub fn descriptor(&self) -> Cow<'c, str> {
        mutf8::decode(self.member.descriptor)
    }

    pub fn access(&self) -> u16 {
        self.member.access
    }

    /// Whether it has annotations that exist at run time: frameworks look for those.
    pub fn is_annotated(&self) -> bool {
        let mut attributes = self.member.attributes.iter();
        attributes.any(|attribute| attribute.name == b"RuntimeVisibleAnnotations")
    }
}

/// The new content of a `Code` attribute, and where the old one lies.
pub(crate) struct NewCode {
    span: Range<usize>,
    bytes: Vec<u8>,
}

fn members<'a>(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Vec<Member<'a>>, Malformed> {
    let count = reader.u2()?;
    let member = |_| {
        Ok(Member {
            access: reader.u2()?,
            name: pool.utf8(reader.u2()?)?,
            descriptor: pool.utf8(reader.u2()?)?,
            attributes: attributes(reader, pool)?,
        })
    };
    (0..count).map(member).collect()
}

fn attributes<'a>(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Attributes<'a>, Malformed> {
    let count = reader.u2()?;
    let attribute = |_| {
        let (name, content) = reader.attribute()?;
        Ok(Attribute {
            name: pool.utf8(name)?,
            span: content.at()..reader.at(),
        })
    };
    (0..count).map(attribute).collect()
}

/// `java/lang/String` of `java/lang/String`, `[Ljava/lang/String;` and so on; `None` for arrays of primitives.
fn element_class(name: &[u8]) -> Option<&[u8]> {
    if !name.starts_with(b"[") {
        return Some(name);
    }
    let dimensions = name.iter().take_while(|&&b| b == b'[').count();
    name[dimensions..].strip_prefix(b"L")?.strip_suffix(b";")
}
