//! The options that programs are built with: macros of the kernels.

use tree_sitter::Node;

use super::Host;
use super::holders::{inside, is_null};
use crate::frontend::cuda::host::listed_in;

/// Functions that only print, or compare, what they are given.
const READS: [&str; 6] = ["printf", "fprintf", "puts", "fputs", "strlen", "strcmp"];

impl<'u> Host<'u> {
    /// The options of each place where a program is built; `None`: what is not plain.
    pub(super) fn builds(&mut self, nodes: &[Node<'u>]) -> Vec<Option<String>> {
        let mut found = Vec::new();
        for node in nodes.iter().copied().filter(|n| n.kind() == "call_expression") {
            let Some(function) = node.child_by_field_name("function") else { continue };
            let arguments = node.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
            let text = self.unit.str(function);
            let is_method = function.kind() == "field_expression";
            let options = match (text, arguments.as_slice()) {
                ("clBuildProgram" | "clCompileProgram", [_, _, _, options, ..]) => Some(*options),
                ("clBuildProgram" | "clCompileProgram", _) => None,
                (method, list) if is_method && (method.ends_with(".build") || method.ends_with("->build")) => {
                    match list.iter().find(|a| self.is_text(**a)) {
                        Some(options) => Some(*options),
                        // Devices alone.
                        None if self.are_devices(list) => {
                            found.push(Some(String::new()));
                            continue;
                        }
                        None => None,
                    }
                }
                _ => continue,
            };
            found.push(options.and_then(|options| self.options_of(options)));
        }
        found
    }

    fn is_text(&self, node: Node<'u>) -> bool {
        self.literal(node).is_some() || self.constant_text(inside(node)).is_some()
    }

    fn options_of(&mut self, node: Node<'u>) -> Option<String> {
        let node = inside(node);
        if is_null(self.unit.str(node)) {
            return Some(String::new());
        }
        if let Some(text) = self.literal(node) {
            return Some(text);
        }
        if let Some(value) = Some(node).filter(|n| n.kind() == "identifier").and_then(|n| self.constant_text(n)) {
            return self.literal(value);
        }
        self.printed(node)
    }

    /// `sprintf(options, "-D N=%d", 16)`, where nothing else changes the array.
    fn printed(&self, node: Node<'u>) -> Option<String> {
        let variable = self.variables.find(node).filter(|_| node.kind() == "identifier")?;
        let declared = self.variables.list[variable];
        (declared.declarator.kind() == "array_declarator" && declared.value.is_none()).then_some(())?;
        let mut printed = None;
        for mention in self.identifiers.get(self.unit.str(node))? {
            if *mention == declared.name || self.variables.find(*mention) != Some(variable) {
                continue;
            }
            let list = mention.parent().filter(|p| p.kind() == "argument_list")?;
            let function = list.parent()?.child_by_field_name("function")?;
            let text = self.unit.str(function);
            let arguments = listed_in(list);
            match (text, arguments.iter().position(|a| a == mention)?) {
                ("sprintf", 0) if printed.is_none() => printed = Some((list.parent()?, arguments[1..].to_vec())),
                ("snprintf", 0) if printed.is_none() => printed = Some((list.parent()?, arguments.get(2..)?.to_vec())),
                ("sprintf" | "snprintf", _) => return None,
                ("clBuildProgram" | "clCompileProgram", _) => {}
                (text, _) if READS.contains(&text) || text.ends_with("build") => {}
                _ => return None,
            }
        }
        let (call, arguments) = printed?;
        // It is always run, before the program is built.
        let statement = call.parent().filter(|p| p.kind() == "expression_statement")?;
        let block = statement.parent().filter(|p| p.kind() == "compound_statement")?;
        let build = node.start_byte();
        (statement.end_byte() <= build && build < block.end_byte()).then_some(())?;
        let (format, values) = arguments.split_first()?;
        let format = self.literal(*format)?;
        let mut values = values.iter();
        let mut parts = format.split('%');
        let mut text = parts.next()?.to_owned();
        for part in parts {
            let rest = part.trim_start_matches(['l', 'z']);
            let value = inside(*values.next()?);
            match rest.chars().next()? {
                'd' | 'i' | 'u' if value.kind() == "number_literal" => text.push_str(self.unit.str(value)),
                's' => text.push_str(&self.literal(value)?),
                _ => return None,
            }
            text.push_str(&rest[1..]);
        }
        values.next().is_none().then_some(text)
    }
}

/// The macros that options define. `None`: they are not understood.
pub fn macros(options: &str) -> Option<Vec<(String, Option<String>)>> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix("-D") else {
            let finds = word.starts_with("-I") && word != "-I.";
            if finds || word.starts_with("-U") || word.contains(['"', '\'']) {
                return None;
            }
            continue;
        };
        let definition = if rest.is_empty() { words.next()? } else { rest };
        if definition.contains(['"', '\'', '(']) {
            return None;
        }
        let (name, value) = match definition.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (definition, None),
        };
        found.push((name.to_owned(), value));
    }
    found.sort();
    found.dedup();
    // One that is defined twice has one value or the other.
    let is_one = found.windows(2).all(|pair| pair[0].0 != pair[1].0);
    is_one.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::macros;

    #[test]
    fn macros_of_options() {
        let one = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(macros("-cl-fast-relaxed-math -DN=4 -D M"), Some(vec![one("M", None), one("N", Some("4"))]));
        assert_eq!(macros("-I. -D A=1 -D A=2"), None);
        assert_eq!(macros("-D S=\"a b\""), None);
        assert_eq!(macros(""), Some(Vec::new()));
    }
}
