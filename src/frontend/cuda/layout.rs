//! The layout of classes, by the Itanium ABI: bases, hidden pointers, and the alignment that attributes ask for.

use std::sync::Arc;

use tree_sitter::Node;

use super::bitfields;
use super::lower::Body;
use super::types::BIT_FIELD;
use super::unit::{TypeDecl, Unit, child_of_kind};
use crate::exp::IntTy;
use crate::kernel::types::{Field, StructTy, Type, end_of};

/// The pointer to the virtual functions of an object.
pub const VPTR: &str = "_vptr";

/// A base or a member that is to be placed.
pub(super) struct Part {
    pub name: Arc<str>,
    pub ty: Type,
    pub align: u64,
    /// How many bits of it are meant, if it is a bit-field.
    pub bits: Option<u32>,
}

/// What a class is made of.
#[derive(Default)]
pub(super) struct Parts {
    pub bases: Vec<Type>,
    /// Are there bases that are not known?
    pub other_bases: bool,
    pub members: Vec<Part>,
    pub complete: bool,
    /// Where its members lie is not known, whatever they are.
    pub unclear: bool,
}

/// What is said about the class as a whole.
struct Asked {
    align: u64,
    packed: bool,
    /// Of the only name that the class has, which is that of a `typedef`: its size stays what it is.
    of_name: u64,
}

fn words(node: Node) -> Vec<Node> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Is this declared `virtual`?
fn is_virtual(member: Node) -> bool {
    words(member).iter().any(|c| matches!(c.kind(), "virtual" | "virtual_function_specifier"))
}

fn is_polymorphic(ty: &Type) -> bool {
    matches!(ty, Type::Struct(s) if s.fields.first().is_some_and(|f| &*f.name == VPTR))
}

/// Where the last member of a class ends, without what comes after it to fill it up.
fn filled(class: &StructTy) -> u64 {
    class.fields.iter().map(|f| f.offset + f.ty.size()).max().unwrap_or(class.size)
}

/// The layout, and where the bases lie in it.
fn place(
    name: &str,
    parts: &Parts,
    union: bool,
    asked: &Asked,
    own_pointer: bool,
    reuse: &[bool],
) -> (StructTy, Vec<u64>) {
    let (mut end, mut size, mut biggest) = (0u64, 1u64, asked.align.max(1));
    let (mut fields, mut places, mut complete) = (Vec::new(), Vec::new(), parts.complete);
    if own_pointer {
        fields.push(Field { name: Arc::from(VPTR), ty: Type::Int(IntTy::U64), offset: 0, bits: vec![] });
        (end, biggest) = (8, biggest.max(8));
    }
    for (base, reuse) in parts.bases.iter().zip(reuse) {
        let Type::Struct(s) = base else { continue };
        biggest = biggest.max(s.align);
        // One without members takes no place.
        if s.fields.is_empty() && s.size <= 1 {
            places.push(0);
            continue;
        }
        let at = end.div_ceil(s.align.max(1)).saturating_mul(s.align.max(1));
        places.push(at);
        fields.extend(s.fields.iter().map(|f| Field { offset: f.offset + at, ..f.clone() }));
        end = if *reuse && !base.has_unknown_size() { at.saturating_add(filled(s)) } else { end_of(at, base) };
    }
    size = size.max(end);
    let mut members = parts.members.as_slice();
    while let Some(part) = members.first() {
        // [INF-BIT-FIELD]
        let run = if union { None } else { bitfields::run(members, end) };
        if let Some((field, count, behind)) = run {
            let step = members[..count].iter().map(|p| p.align).max().unwrap_or(1);
            (biggest, end) = (biggest.max(step), behind);
            size = size.max(end);
            fields.push(field);
            members = &members[count..];
            continue;
        }
        members = &members[1..];
        let ty = if part.bits.is_some() { Type::Unknown(BIT_FIELD.into()) } else { part.ty.clone() };
        complete &= part.bits.is_none();
        let step = part.align.max(1);
        biggest = biggest.max(step);
        let at = if union { 0 } else { end.div_ceil(step).saturating_mul(step) };
        end = end_of(at, &ty);
        size = size.max(end);
        fields.push(Field { name: part.name.clone(), ty, offset: at, bits: vec![] });
    }
    let size = size.div_ceil(biggest).saturating_mul(biggest);
    (StructTy { name: Arc::from(name), fields, size, align: biggest, complete }, places)
}

impl<'t> Body<'_, 't> {
    /// The layout of a class; `None` when it is not known.
    pub(super) fn lay_out(&mut self, name: &str, node: Node<'t>, body: Node<'t>, parts: &Parts) -> Option<StructTy> {
        let asked = self.asked(node, body);
        let vague = parts.members.iter().any(|m| m.ty.has_unknown_size());
        let (asked, unclear) = match asked {
            Some(asked) => (asked, false),
            None => (Asked { align: 1, packed: false, of_name: 1 }, true),
        };
        if (unclear || parts.unclear) && !vague {
            return None;
        }
        let union = node.kind() == "union_specifier";
        let any_virtual = words(body).into_iter().any(is_virtual);
        let first = parts.bases.first().is_some_and(is_polymorphic);
        let later = parts.bases.iter().skip(1).any(is_polymorphic);
        let virtual_base = child_of_kind(node, "base_class_clause")
            .is_some_and(|c| words(c).into_iter().any(|w| w.kind() == "virtual"));
        // What a class continues behind the bit-fields of a base is not known.
        let has_bits = |base: &Type| matches!(base, Type::Struct(s) if s.fields.iter().any(|f| !f.bits.is_empty()));
        if parts.bases.iter().any(has_bits) {
            return None;
        }
        let placed = |base: &Type| matches!(base, Type::Struct(s) if !s.fields.is_empty() || s.size > 1);
        let empty_twice = parts.bases.iter().any(|b| !placed(b) && parts.members.iter().any(|m| m.ty == *b))
            || self.share_empty_base(&parts.bases, placed);
        if virtual_base || (later && !first) || empty_twice || (asked.packed && parts.bases.iter().any(placed)) {
            return None;
        }
        let known: Vec<Option<bool>> = parts.bases.iter().map(|b| self.fills_up(b, 0)).collect();
        let lay = |otherwise: bool| {
            let reuse: Vec<bool> = known.iter().map(|k| k.unwrap_or(otherwise)).collect();
            place(name, parts, union, &asked, any_virtual && !first, &reuse)
        };
        let (one, other) = (lay(false), lay(true));
        if one != other {
            return None;
        }
        let (mut layout, places) = one;
        if layout.size % asked.of_name != 0 {
            return None;
        }
        layout.align = layout.align.max(asked.of_name);
        if !parts.other_bases {
            self.lower.base_places.insert(name.to_owned(), places);
        }
        Some(layout)
    }

    /// Have two bases a base without members in common, or is one that of the other? Then these do not lie in one place.
    fn share_empty_base(&mut self, bases: &[Type], placed: impl Fn(&Type) -> bool) -> bool {
        if bases.len() < 2 {
            return false;
        }
        let empty = |body: &mut Self, base: &Type| -> Vec<Type> {
            body.ancestors(base).into_iter().filter(|b| !placed(b)).collect()
        };
        let all: Vec<Vec<Type>> = bases.iter().map(|base| empty(self, base)).collect();
        all.iter().enumerate().any(|(i, one)| all[..i].iter().flatten().any(|b| one.contains(b)))
    }

    /// Do the members of a derived class begin in what the end of this base is filled up with? `None`: not known.
    fn fills_up(&self, base: &Type, depth: usize) -> Option<bool> {
        let Type::Struct(s) = base else { return Some(false) };
        let Some((node, _)) = self.class_node(base) else { return Some(false) };
        let body = node.child_by_field_name("body")?;
        if child_of_kind(node, "base_class_clause").is_some() || depth > 20 {
            return None;
        }
        let mut plain = node.kind() != "class_specifier";
        for member in words(body) {
            match member.kind() {
                "function_definition" | "declaration" if member.child_by_field_name("type").is_none() => {
                    // A constructor or destructor that somebody wrote; of others this does not know.
                    let own = !self.text(member).contains("operator") && !self.text(member).contains("default");
                    if own {
                        return Some(true);
                    }
                    plain = false;
                }
                "access_specifier" => plain &= self.text(member) == "public",
                "template_declaration" => plain = false,
                _ => {
                    if is_virtual(member) {
                        return Some(true);
                    }
                    let text = self.text(member);
                    plain &= member.child_by_field_name("default_value").is_none() && !text.contains("operator");
                }
            }
        }
        plain &= s.fields.iter().all(|f| match &f.ty {
            Type::Ref(_) => false,
            ty @ Type::Struct(_) => self.fills_up(ty, depth + 1) == Some(false),
            _ => true,
        });
        if plain { Some(false) } else { None }
    }

    /// What attributes and pragmas say about a class; `None` for what is not understood.
    fn asked(&mut self, node: Node<'t>, body: Node<'t>) -> Option<Asked> {
        let unit: &'t Unit<'t> = self.lower.unit;
        let after = unit.text.get(body.end_byte()..)?;
        let end = unit.text.len() - after.trim_start().len();
        let head = self.text_between(node.start_byte(), body.start_byte());
        let mut packed = false;
        let (mut align, mut of_name) = (1, 1);
        for range in [node.start_byte()..body.start_byte(), body.end_byte()..end] {
            packed |= unit.is_packed(range.clone());
            for text in unit.alignments(range) {
                align = align.max(self.alignment(text)?);
            }
        }
        if let Some(outer) = node.parent().filter(|p| p.kind() == "type_definition") {
            // An alignment of the new name, and not of the class.
            let mut cursor = outer.walk();
            let single = outer.children_by_field_name("declarator", &mut cursor).count() == 1;
            let only = node.child_by_field_name("name").is_none() && single;
            for range in [outer.start_byte()..node.start_byte(), end..outer.end_byte()] {
                for text in unit.alignments(range) {
                    of_name = of_name.max(self.alignment(text).filter(|_| only)?);
                }
            }
        }
        // `[[gnu::packed]]`
        if head.contains("[[") && (head.contains("packed") || head.contains("aligned")) {
            return None;
        }
        Some(Asked { align, packed, of_name })
    }

    fn text_between(&self, start: usize, end: usize) -> &'t str {
        let unit: &'t Unit<'t> = self.lower.unit;
        unit.text.get(start..end).unwrap_or("")
    }

    /// The alignment of a member; `None` for one that is not understood.
    pub(super) fn member_alignment(
        &mut self,
        class: (Node<'t>, Node<'t>),
        member: Node<'t>,
        ty: &Type,
        single: bool,
    ) -> Option<u64> {
        let unit: &'t Unit<'t> = self.lower.unit;
        let (node, body) = class;
        let whole = member.prev_sibling().map_or(member.start_byte(), |p| p.end_byte())..member.end_byte();
        let mut ranges = vec![whole.clone()];
        if let Some(inner) = member.child_by_field_name("type")
            && inner.child_by_field_name("body").is_some()
        {
            let after = self.text_between(inner.end_byte(), whole.end);
            let end = whole.end - after.trim_start().len();
            ranges = vec![whole.start..inner.start_byte(), end..whole.end];
        }
        let mut asked = None;
        let mut packed = unit.is_packed(node.start_byte()..body.start_byte());
        let after = unit.text.get(body.end_byte()..)?;
        packed |= unit.is_packed(body.end_byte()..unit.text.len() - after.trim_start().len());
        for range in ranges {
            packed |= unit.is_packed(range.clone());
            for text in unit.alignments(range) {
                asked = asked.max(Some(self.alignment(text)?));
            }
        }
        let text = self.text(member);
        let marked = text.contains("[[") && (text.contains("packed") || text.contains("aligned"));
        if text.contains("no_unique_address") || marked || (asked.is_some() && !single) {
            return None;
        }
        if member.child_by_field_name("type").is_some_and(|ty| self.is_aligned_by_name(ty)) {
            return None;
        }
        let natural = if packed { 1 } else { ty.align().max(1) };
        match (unit.packing(node)?, asked) {
            (Some(most), None) => Some(natural.min(most)),
            (Some(_), Some(_)) => None,
            (None, asked) => Some(natural.max(asked.unwrap_or(1))),
        }
    }

    /// Is an alignment asked for where the name of a type is declared, and not with the class that it stands for?
    fn is_aligned_by_name(&self, ty: Node<'t>) -> bool {
        let unit: &'t Unit<'t> = self.lower.unit;
        // `const ns::I`
        let words = self.text(ty).split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut declared = words.filter_map(|word| self.lower.names.types.get(word)).flatten();
        declared.any(|(_, decl)| {
            let (whole, inner) = match decl {
                TypeDecl::Typedef(ty, declarator) => {
                    (declarator.parent().filter(|p| p.kind() == "type_definition"), Some(*ty))
                }
                TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) => (ty.parent(), Some(*ty)),
                TypeDecl::Class(node, _) if node.child_by_field_name("body").is_none() => (Some(*node), None),
                _ => (None, None),
            };
            let has_class = inner.is_some_and(|ty| ty.child_by_field_name("body").is_some());
            whole.is_some_and(|whole| !has_class && !unit.alignments(whole.byte_range()).is_empty())
        })
    }

    /// The bytes that `alignas(..)` asks for: a number, a type, or simple arithmetic with sizes.
    fn alignment(&mut self, text: &str) -> Option<u64> {
        let n = match self.measure(text.trim(), 0) {
            Some(n) => n,
            None => self.spelled_type(text)?.align(),
        };
        n.is_power_of_two().then_some(n)
    }

    fn measure(&mut self, text: &str, depth: usize) -> Option<u64> {
        let text = text.trim();
        if depth > 20 || text.is_empty() {
            return None;
        }
        for (operators, apply) in [
            (
                ['+', '-'],
                (|a: u64, op: char, b: u64| if op == '+' { a.checked_add(b) } else { a.checked_sub(b) })
                    as fn(u64, char, u64) -> Option<u64>,
            ),
            (['*', '/'], |a, op, b| if op == '*' { a.checked_mul(b) } else { a.checked_div(b) }),
        ] {
            if let Some(at) = last_outside(text, operators) {
                let (l, r) = (&text[..at], &text[at + 1..]);
                let op = text[at..].chars().next()?;
                return apply(self.measure(l, depth + 1)?, op, self.measure(r, depth + 1)?);
            }
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            return self.measure(inner, depth + 1);
        }
        if let Some((word, rest)) = text.split_once('(') {
            let ty = self.spelled_type(rest.strip_suffix(')')?)?;
            return match word.trim() {
                "sizeof" => Some(ty.size()),
                "alignof" | "__alignof" | "__alignof__" | "_Alignof" => Some(ty.align()),
                _ => None,
            };
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return text
                .trim_end_matches(['u', 'U', 'l', 'L'])
                .parse()
                .ok()
                .filter(|n| *n == 0 || !text.starts_with('0'));
        }
        if !is_plain_word(text) {
            return None;
        }
        let value = match self.bindings.values.get(text) {
            Some((value, _)) => Some(*value),
            None => self.global_constant(text),
        };
        u64::try_from(value?).ok()
    }

    /// The type that a text names, if that is simple.
    fn spelled_type(&mut self, text: &str) -> Option<Type> {
        let text = text.trim();
        if text.strip_suffix('*').is_some() {
            return Some(Type::Void.ptr());
        }
        Some(self.type_by_name(text)).filter(|ty| !ty.has_unknown_size() && *ty != Type::Void)
    }
}

/// The last of these characters that is not in parentheses, and not the first.
fn last_outside(text: &str, wanted: [char; 2]) -> Option<usize> {
    let mut depth = 0usize;
    let mut found = None;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && at > 0 && wanted.contains(&c) => found = Some(at),
            _ => {}
        }
    }
    found.filter(|at| !text[at + 1..].trim().is_empty())
}

fn is_plain_word(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
