//! Method descriptors: how many slots a parameter takes and which instructions load and return it.

/// What the JVM's instructions distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Long,
    Float,
    Double,
    Reference,
    Void,
}

impl Kind {
    /// The kind of a field or return type; its first letter decides.
    pub(crate) fn of(ty: &str) -> Self {
        match ty.as_bytes().first() {
            Some(b'J') => Self::Long,
            Some(b'F') => Self::Float,
            Some(b'D') => Self::Double,
            Some(b'L' | b'[') => Self::Reference,
            Some(b'V') => Self::Void,
            _ => Self::Int,
        }
    }

    pub(crate) fn slots(self) -> u16 {
        match self {
            Self::Void => 0,
            Self::Int | Self::Float | Self::Reference => 1,
            Self::Long | Self::Double => 2,
        }
    }

    pub(crate) fn return_opcode(self) -> u8 {
        match self {
            Self::Int => 172,
            Self::Long => 173,
            Self::Float => 174,
            Self::Double => 175,
            Self::Reference => 176,
            Self::Void => 177,
        }
    }

    /// Appends the instruction that pushes a local variable of this kind.
    pub(crate) fn load(self, slot: u8, code: &mut Vec<u8>) {
        let nth = match self {
            Self::Int | Self::Void => 0,
            Self::Long => 1,
            Self::Float => 2,
            Self::Double => 3,
            Self::Reference => 4,
        };
        match slot {
            0..=3 => code.push(26 + 4 * nth + slot),
            _ => code.extend([21 + nth, slot]),
        }
    }
}

/// A method descriptor, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Descriptor<'d> {
    pub(crate) params: Vec<&'d str>,
    pub(crate) returns: &'d str,
}

impl<'d> Descriptor<'d> {
    /// `None` if the text is no method descriptor or has more parameters than a method may.
    pub(crate) fn parse(text: &'d str) -> Option<Self> {
        let mut rest = text.strip_prefix('(')?;
        let mut params = Vec::new();
        let mut slots = 0;
        while !rest.starts_with(')') {
            let (param, after) = rest.split_at(type_length(rest)?);
            slots += Kind::of(param).slots();
            if slots > 255 {
                return None;
            }
            params.push(param);
            rest = after;
        }
        let returns = &rest[1..];
        let known = returns == "V" || type_length(returns) == Some(returns.len());
        known.then_some(Self { params, returns })
    }

    pub(crate) fn return_kind(&self) -> Kind {
        Kind::of(self.returns)
    }
}

/// The length of the field type that the text begins with.
fn type_length(text: &str) -> Option<usize> {
    let dimensions = text.bytes().take_while(|&b| b == b'[').count();
    let element = match text.as_bytes().get(dimensions)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
        b'L' => text[dimensions..].find(';').filter(|&at| at > 1)? + 1,
        _ => return None,
    };
    (dimensions <= 255).then_some(dimensions + element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_taken_apart() {
        let d = Descriptor::parse("(IJ[[Ljava/lang/String;[DZ)Ljava/util/List;").unwrap();
        assert_eq!(d.params, ["I", "J", "[[Ljava/lang/String;", "[D", "Z"]);
        assert_eq!(d.returns, "Ljava/util/List;");
        assert_eq!(Descriptor::parse("()V").unwrap().return_kind(), Kind::Void);
    }

    #[test]
    fn what_is_no_descriptor_is_none() {
        for text in [
            "", "()", "I", "(I", "(V)V", "(L;)V", "(Lx)V", "()VV", "()II", "([)V", "(é)V",
        ] {
            assert_eq!(Descriptor::parse(text), None, "{text}");
        }
        assert_eq!(Descriptor::parse(&format!("({})V", "J".repeat(128))), None);
        assert!(Descriptor::parse(&format!("({})V", "J".repeat(127))).is_some());
    }
}
