//! Which pointers of the host are one.

use tree_sitter::Node;

use super::super::unit::last_named;
use super::places::listed_in;
use super::variables::{Part, contains};
use super::{Host, MAX_DEPTH};
use crate::base::Name;

/// Casts that leave a pointer as it is.
const CASTS: [&str; 3] = ["reinterpret_cast", "static_cast", "const_cast"];
/// Functions of libraries that make a new object with memory of its own each time, by their namespace; and methods.
const MAKE: [(&[&str], &[&str]); 3] = [
    (&["std"], &["make_unique", "make_shared"]),
    (
        &["torch", "at"],
        &[
            "zeros",
            "zeros_like",
            "empty",
            "empty_like",
            "empty_strided",
            "ones",
            "ones_like",
            "full",
            "full_like",
            "rand",
            "rand_like",
            "randn",
            "randn_like",
        ],
    ),
    (&[], &["new_empty", "new_zeros", "new_ones", "new_full", "clone"]),
];
/// Methods of containers and tensors that give the pointer to what they hold: the same for the same object.
pub(super) const OF_DATA: [&str; 14] = [
    "data",
    "get",
    "data_ptr",
    "const_data_ptr",
    "mutable_data_ptr",
    "ptr",
    "raw",
    "device_ptr",
    "device_data",
    "mutable_data",
    "packed_accessor",
    "packed_accessor32",
    "packed_accessor64",
    "generic_packed_accessor",
];

/// Is this a function, or a type, that makes another pointer to the same of the one that it is given?
pub(super) fn only_casts(name: &str) -> bool {
    CASTS.contains(&name) || ["raw_pointer_cast", "device_pointer_cast", "device_ptr"].iter().any(|n| name.ends_with(n))
}

impl<'u> Host<'_, 'u> {
    /// The object of `x.data<float>`.
    pub(super) fn data_of(&self, function: Node<'u>) -> Option<Node<'u>> {
        let inner = match function.kind() {
            "template_function" => function.child_by_field_name("name")?,
            _ => function,
        };
        let method = inner.child_by_field_name("field").filter(|_| inner.kind() == "field_expression")?;
        let name = self.unit.str(method).split('<').next()?;
        inner.child_by_field_name("argument").filter(|_| OF_DATA.contains(&name))
    }

    /// Does each call of this function give another object?
    pub(super) fn makes_new(&self, function: &str) -> bool {
        let at = function.rfind([':', '.', '>']).map_or(0, |at| at + 1);
        let (before, name) = function.split_at(at);
        let scope = before.trim_end_matches("::").trim_start_matches("::");
        let is_method = before.ends_with('.') || before.ends_with("->");
        let listed = MAKE.iter().any(|(scopes, names)| {
            names.contains(&name) && if scopes.is_empty() { is_method } else { !is_method && scopes.contains(&scope) }
        });
        listed && !self.lower.names.functions.contains_key(name)
    }

    /// The variable that a pointer argument is, or points into.
    pub(super) fn pointer(&mut self, node: Node<'u>) -> Option<(String, bool)> {
        match node.kind() {
            "identifier" => {
                // One that nothing here changes: of the file, or of the class.
                let text = self.unit.str(node);
                let Some(variable) = self.find(text, node) else {
                    return (text != "NULL").then(|| (text.to_owned(), true));
                };
                let node = self.read_at(node);
                let known = &self.variables[variable];
                // A pointer made from another one is that one, as far as it can be told.
                let name = known.name.to_owned();
                if let Some(value) =
                    self.last_change(variable, &Part::Whole, node).filter(|e| e.field.is_none()).and_then(|e| e.value)
                    && self.depth < MAX_DEPTH
                {
                    self.depth += 1;
                    let found = self.pointer(value);
                    self.depth -= 1;
                    if let Some(found) = found {
                        return Some(found);
                    }
                }
                let at_launch = self.find(&name, self.launch) == Some(variable);
                // Another variable of that name is seen at the launch.
                if !at_launch {
                    return Some((format!("{name}#{variable}"), true));
                }
                let same =
                    self.version(variable, &Part::Whole, node) == self.version(variable, &Part::Whole, self.launch);
                Some((name, same))
            }
            "parenthesized_expression" => self.pointer(last_named(node)?),
            // `int *q{p}`
            "initializer_list" if node.named_child_count() == 1 => self.pointer(last_named(node)?),
            "qualified_identifier" => Some((self.unit.str(node).to_owned(), true)),
            "cast_expression" => self.pointer(node.child_by_field_name("value")?),
            "binary_expression" => {
                let op = self.unit.str(node.child_by_field_name("operator")?);
                let (left, _) = self.pointer(node.child_by_field_name("left")?)?;
                (op == "+" || op == "-").then_some((left, false))
            }
            "pointer_expression" if self.unit.str(node).starts_with('&') => {
                let place = node.child_by_field_name("argument")?;
                let inside = place.kind() == "subscript_expression";
                let (base, _) = self.pointer(if inside { place.child_by_field_name("argument")? } else { place })?;
                Some((base, false))
            }
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let arguments = listed_in(node.child_by_field_name("arguments")?);
                let text = self.unit.str(function);
                let name = text.split('<').next().unwrap_or(text);
                match arguments.as_slice() {
                    [only] if only_casts(name) => self.pointer(*only),
                    [] => {
                        let (object, method) = name.rsplit_once('.').or_else(|| name.rsplit_once("->"))?;
                        OF_DATA.contains(&method).then(|| (format!("{object}.data()"), self.is_as_at_launch(node)))
                    }
                    _ => None,
                }
            }
            // An element of an array of pointers: the same text is the same pointer.
            "pointer_expression" | "subscript_expression" | "field_expression" => {
                Some((self.unit.str(node).to_owned(), self.is_as_at_launch(node)))
            }
            _ => None,
        }
    }

    /// Is what a place of an object has here what it has at the launch?
    fn is_as_at_launch(&self, place: Node<'u>) -> bool {
        if contains(self.launch, self.read_at(place)) {
            return true;
        }
        let mut object = place;
        while object.kind() != "identifier" {
            let inner = object.child_by_field_name("function").or_else(|| object.child_by_field_name("argument"));
            let Some(inner) = inner else { return false };
            object = inner;
        }
        let Some(variable) = self.find(self.unit.str(object), object) else { return false };
        let is_behind = self.unit.str(place).contains(['[', '*']) || self.unit.str(place).contains("->");
        let part = if is_behind { Part::Behind(Name::new("")) } else { Part::Whole };
        self.version(variable, &part, place) == self.version(variable, &part, self.launch)
    }
}
