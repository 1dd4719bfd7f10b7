//! Functions of the unit that return new memory each time that they are called. [HOST-NEW]

use tree_sitter::Node;

use super::super::super::unit::{FunDecl, declared_name, each_named, has_child, last_named, without_arguments};
use super::super::Host;
use super::super::mentions::is_platform;
use super::super::places::listed_in;
use super::super::pointers::only_casts;

/// Functions that are followed, each called by the one before.
const MAX_CALLS: usize = 4;
/// What points to these points to no pointer.
const NUMBERS: [&str; 9] =
    ["float", "double", "int", "unsigned", "unsigned int", "short", "unsigned short", "bool", "half"];
/// Functions that read or write what a pointer points to and do not keep it.
const COPIES: [&str; 6] = ["cudaMemcpy", "cudaMemset", "hipMemcpy", "hipMemset", "memcpy", "memset"];

impl<'u> Host<'_, 'u> {
    /// Does each call of the function that is called here return memory of its own? All functions that it may be are seen.
    pub(super) fn returns_new(&self, call: Node<'u>) -> bool {
        if let Some(known) = self.news.borrow().get(&call.id()) {
            return *known;
        }
        let is_known = |function: Node<'u>| {
            let name = self.callee(function);
            self.find(name, function).is_none() && !self.is_own_method(name, true)
        };
        let found = call.child_by_field_name("function").is_some_and(|f| is_known(f) && self.makes_all_new(f, 0));
        self.news.borrow_mut().insert(call.id(), found);
        found
    }

    fn makes_all_new(&self, function: Node<'u>, depth: usize) -> bool {
        let is_name = matches!(function.kind(), "identifier" | "template_function" | "qualified_identifier");
        let (name, (qualifier, _)) = (self.callee(function), self.unit.qualified(function));
        let names = &self.lower.names;
        let is_other = names.types.contains_key(name) || names.globals.contains_key(name);
        if !is_name || is_other || depth > MAX_CALLS || names.is_of_foreign(name, &qualifier) {
            return false;
        }
        let all = names.functions.get(name).map_or(&[][..], Vec::as_slice);
        let own: Vec<&FunDecl<'u>> = all.iter().filter(|d| d.class.is_none()).collect();
        let of_scope = |d: &&FunDecl<'u>| match qualifier.parts.as_slice() {
            [] => self.is_in_reach(names.path(d.scope)),
            parts => names.path(d.scope).ends_with(parts),
        };
        let is_sure = qualifier.parts.is_empty() || own.len() == all.len();
        let is_defined = |d: &FunDecl<'u>| {
            let same = |o: &&FunDecl<'u>| o.has_body && o.scope == d.scope && self.takes_the_same(o, d);
            let name = declared_name(d.declarator).map(|name| self.unit.qualified(name).1);
            name.is_some_and(|name| without_arguments(name) == name) && own.iter().any(same)
        };
        let makes = |d: &&FunDecl<'u>| match d.has_body {
            true => !d.is_kernel && self.only_returns_new(d, depth),
            false => is_defined(d),
        };
        is_sure && own.iter().any(of_scope) && own.iter().all(makes)
    }

    /// Is a scope one of those around the function, or may `using` bring what is in it here?
    fn is_in_reach(&self, path: &[String]) -> bool {
        let mut around = Vec::new();
        let mut node = self.up(self.function);
        while let Some(outer) = node {
            let name = outer.child_by_field_name("name").filter(|_| outer.kind() == "namespace_definition");
            around.extend(name.map(|name| self.unit.str(name)));
            node = self.up(outer);
        }
        around.reverse();
        path.len() <= around.len() && path.iter().zip(&around).all(|(a, b)| a == b)
            || self.unit.text.contains("using namespace")
    }

    /// Is what a function returns a variable that only this call of it has, and that has new memory? Nothing else gets that.
    fn only_returns_new(&self, decl: &FunDecl<'u>, depth: usize) -> bool {
        let function = decl.node;
        // A class may be made of the pointer in any way.
        let is_pointer = function.child_by_field_name("declarator").is_some_and(|d| {
            let stars = &self.unit.text[d.start_byte()..decl.declarator.start_byte().max(d.start_byte())];
            d.kind() == "pointer_declarator" && !stars.contains(['&', '('])
        });
        let (mut returned, mut is_plain) = (Vec::new(), is_pointer && !function.has_error());
        each_named(function, |n| match n.kind() {
            "return_statement" => returned.push(last_named(n)),
            "lambda_expression" | "gnu_asm_expression" => is_plain = false,
            _ => {}
        });
        is_plain
            && returned.iter().any(|value| value.is_some_and(|v| !self.is_null(v)))
            && returned.iter().all(|value| value.is_some_and(|value| self.is_only_new(value, decl, depth)))
    }

    fn is_null(&self, value: Node<'u>) -> bool {
        let value = self.uncast(value);
        value.kind() == "null" || ["NULL", "nullptr", "0"].contains(&self.unit.str(value))
    }

    /// What is cast, or in parentheses.
    fn uncast(&self, value: Node<'u>) -> Node<'u> {
        let field = |name: &str| value.child_by_field_name(name);
        let inner = match value.kind() {
            "parenthesized_expression" => last_named(value),
            "cast_expression" => field("value"),
            "call_expression" if self.is_cast(value) => field("arguments").and_then(last_named),
            _ => None,
        };
        inner.map_or(value, |inner| self.uncast(inner))
    }

    fn is_cast(&self, call: Node<'u>) -> bool {
        let text = call.child_by_field_name("function").map_or("", |f| self.unit.str(f));
        let arguments = call.child_by_field_name("arguments").map(listed_in).unwrap_or_default();
        arguments.len() == 1 && text.split('<').next().is_some_and(|name| name.ends_with("_cast") && only_casts(name))
    }

    fn is_only_new(&self, value: Node<'u>, decl: &FunDecl<'u>, depth: usize) -> bool {
        let value = self.uncast(value);
        let field = |name: &str| value.child_by_field_name(name);
        if self.is_null(value) {
            return true;
        }
        match value.kind() {
            "conditional_expression" => {
                let both = [field("consequence"), field("alternative")];
                both.iter().all(|one| one.is_some_and(|one| self.is_only_new(one, decl, depth)))
            }
            // The objects of a class may have pointers.
            "new_expression" => {
                let ty = field("type").map_or("", |ty| self.unit.str(ty));
                field("placement").is_none() && NUMBERS.contains(&ty)
            }
            "call_expression" => {
                let Some(function) = field("function") else { return false };
                let name = self.callee(function);
                let makes = matches!(name, "malloc" | "calloc" | "aligned_alloc" | "_aligned_malloc");
                !self.names_own(decl, name)
                    && if self.is_absent(name) { makes } else { self.makes_all_new(function, depth + 1) }
            }
            "identifier" => self.has_only_new(self.unit.str(value), decl, depth),
            _ => false,
        }
    }

    /// Is there no function or variable of the unit with this name?
    fn is_absent(&self, name: &str) -> bool {
        let names = &self.lower.names;
        !names.functions.contains_key(name) && !names.globals.contains_key(name) && !names.types.contains_key(name)
    }

    /// Does a function have a parameter or a variable of this name?
    fn names_own(&self, decl: &FunDecl<'u>, name: &str) -> bool {
        let mut found = false;
        each_named(decl.node, |n| {
            let mut cursor = n.walk();
            let own = |d: Node<'u>| declared_name(d).is_some_and(|own| self.unit.str(own) == name);
            found |= n != decl.node && n.children_by_field_name("declarator", &mut cursor).any(own);
        });
        found
    }

    fn has_only_new(&self, name: &str, decl: &FunDecl<'u>, depth: usize) -> bool {
        let mut uses = Vec::new();
        let mut only = true;
        each_named(decl.node, |n| {
            if n.child_count() == 0 && self.unit.str(n) == name {
                match n.kind() {
                    "identifier" => uses.push(n),
                    kind => only &= kind == "field_identifier",
                }
            }
        });
        let declared: Vec<Node<'u>> = uses.iter().filter_map(|n| self.declared_at(*n)).collect();
        let [declaration] = declared[..] else { return false };
        let ty = declaration.child_by_field_name("type").map_or("", |ty| self.unit.str(ty));
        let is_number = NUMBERS.contains(&ty);
        only && !has_child(declaration, "storage_class_specifier")
            && uses.into_iter().all(|n| self.keeps_new(n, is_number, decl, depth))
    }

    /// The declaration of a pointer, where its name stands in it.
    fn declared_at(&self, name: Node<'u>) -> Option<Node<'u>> {
        let mut declarator = name;
        while let Some(outer) = self.up(declarator).filter(|o| o.kind() == "pointer_declarator") {
            declarator = outer;
        }
        let outer = self.up(declarator).filter(|_| declarator != name)?;
        let outer = match outer.kind() {
            "init_declarator" if outer.child_by_field_name("declarator") == Some(declarator) => self.up(outer)?,
            _ => outer,
        };
        (outer.kind() == "declaration").then_some(outer)
    }

    /// Does this use of a variable leave it with new memory that nothing else has?
    fn keeps_new(&self, name: Node<'u>, is_number: bool, decl: &FunDecl<'u>, depth: usize) -> bool {
        if self.declared_at(name).is_some() {
            let mut inner = self.up(name);
            let is_one = inner.and_then(|d| self.up(d)).is_some_and(|d| d.kind() != "pointer_declarator");
            while let Some(outer) = inner.filter(|n| n.kind() == "pointer_declarator") {
                inner = self.up(outer);
            }
            let value = inner.and_then(|n| n.child_by_field_name("value"));
            return (is_one || !is_number) && value.is_none_or(|value| self.is_only_new(value, decl, depth));
        }
        // `sizeof(*p)`
        let is_size = |n: &Node<'u>| n.kind() == "sizeof_expression";
        let within = |n: &Node<'u>| *n != decl.node && !n.kind().ends_with("statement");
        if std::iter::successors(Some(name), |n| self.up(*n)).take_while(within).any(|n| is_size(&n)) {
            return true;
        }
        let (mut inner, mut address) = (name, false);
        while let Some(outer) = self.up(inner) {
            let field = |name: &str| outer.child_by_field_name(name);
            let text = self.unit.str(outer);
            let sign = field("operator").map_or("", |o| self.unit.str(o));
            match outer.kind() {
                "parenthesized_expression" | "cast_expression" => {}
                "pointer_expression" if text.starts_with('&') && !address => address = true,
                "conditional_expression" if !address && field("condition") == Some(inner) => return true,
                "conditional_expression" if !address => {}
                "assignment_expression" if !address && field("left") == Some(inner) => {
                    let made = field("right").is_some_and(|value| self.is_only_new(value, decl, depth));
                    if sign != "=" || !made {
                        return false;
                    }
                }
                // `p[i] = 0;`
                "subscript_expression" if !address && is_number && field("argument") == Some(inner) => {
                    let to = self.up(outer).filter(|to| to.child_by_field_name("left") == Some(outer));
                    return to.is_some_and(|to| to.kind() == "assignment_expression");
                }
                "binary_expression" => return !address && ["==", "!=", "&&", "||"].contains(&sign),
                "unary_expression" => return !address && sign == "!",
                "return_statement" | "expression_statement" | "condition_clause" => return !address,
                "argument_list" => {
                    let Some(call) = self.up(outer).filter(|c| !has_child(*c, "kernel_call_syntax")) else {
                        return false;
                    };
                    if self.is_cast(call) {
                        inner = call;
                        continue;
                    }
                    let callee = call.child_by_field_name("function").filter(|f| f.kind() == "identifier");
                    let callee = callee.map_or("", |f| self.unit.str(f));
                    let is_first = listed_in(outer).first() == Some(&inner);
                    let makes = callee == "posix_memalign"
                        || is_platform(callee) && callee.to_ascii_lowercase().contains("alloc");
                    let reads = is_number && COPIES.iter().any(|copies| callee.starts_with(copies));
                    let is_known = self.is_absent(callee) && !self.names_own(decl, callee);
                    let frees = ["free", "cudaFree", "hipFree"].contains(&callee);
                    return is_known && if address { is_first && makes } else { reads || frees };
                }
                _ => return false,
            }
            inner = outer;
        }
        false
    }
}
