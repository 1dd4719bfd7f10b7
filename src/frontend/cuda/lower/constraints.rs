//! What may take a function away from those that a call can mean: conditions on the arguments of its template, and types
//! that are none for some of them. [INF-CONSTRAINT]

use super::*;
use crate::frontend::cuda::unit::each_named;

/// Something that has to hold, or to be a type, for a function to be meant.
enum Constraint<'t> {
    /// The value of this is not zero.
    Condition(Node<'t>),
    /// This names a member, of a class that depends on the parameters of the template.
    Member(Node<'t>),
    /// What is not followed.
    Other,
}

impl<'l, 't> Body<'l, 't> {
    /// Does what constrains a function hold for these arguments of its template, when it is called with so many arguments?
    /// `Some(true)` where nothing does; `None`: it is not known.
    pub(super) fn constraints_hold(
        &mut self,
        decl: &FunDecl<'t>,
        bindings: &Bindings,
        template: Option<Node<'t>>,
        count: usize,
    ) -> Option<bool> {
        let given = template.map_or(0, |list| self.template_arguments(list).len());
        let names = decl.template.map(|t| self.template_parameters(t)).unwrap_or_default();
        let mut all = Some(true);
        for constraint in self.constraints(decl, given, count) {
            let holds = match constraint {
                Constraint::Condition(node) => {
                    self.inside(decl, bindings, |body| body.template_value(node)).map(|value| value != 0)
                }
                Constraint::Member(node) => self.is_member_there(decl, bindings, node, &names),
                Constraint::Other => None,
            };
            match holds {
                Some(false) => return holds,
                Some(true) => {}
                None => all = None,
            }
        }
        all
    }

    /// May what a call means be none of these functions, though some of them can be called so: since a declaration was not
    /// parsed, or may not be what it reads as?
    pub(super) fn may_mean_others(&mut self, list: &[(FunDecl<'t>, Bindings)]) -> bool {
        list.iter().any(|(d, _)| {
            let name = declared_name(d.declarator).map_or("", |n| self.text(self.lower.unit.qualified(n).1));
            let is_broken = self.lower.names.broken.contains(name.split('<').next().unwrap_or(name).trim());
            is_broken || may_name_in_parentheses(d) || d.template.is_some_and(|t| self.has_concept(t))
        })
    }

    fn constraints(&mut self, decl: &FunDecl<'t>, given: usize, count: usize) -> Vec<Constraint<'t>> {
        let mut found = Vec::new();
        let template = decl.template.filter(|t| t.named_child_count() > 0);
        let whole = template.and_then(|t| t.parent()).unwrap_or(decl.node);
        let end = decl.node.child_by_field_name("body").map_or(decl.node.end_byte(), |body| body.start_byte());
        let head = self.lower.unit.text.get(whole.start_byte()..end).unwrap_or("");
        let clauses = [whole, decl.node, decl.declarator].map(|n| child_of_kind(n, "requires_clause"));
        let mut required = 0;
        for clause in clauses.into_iter().flatten() {
            match last_named(clause).filter(|c| self.is_computed(*c)) {
                Some(condition) => found.push(Constraint::Condition(condition)),
                None => found.push(Constraint::Other),
            }
            required += 1;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if head.split(|c| !is_word(c)).filter(|word| *word == "requires").count() > required {
            found.push(Constraint::Other);
        }
        if let Some(list) = decl.declarator.child_by_field_name("parameters") {
            each_named(list, |node| {
                if node.kind() == "placeholder_type_specifier" && node.child_by_field_name("constraint").is_some() {
                    found.push(Constraint::Other);
                }
            });
        }
        let Some(template) = template else { return found };
        if self.has_concept(template) {
            found.push(Constraint::Other);
        }
        let names = self.template_parameters(template);
        let said = self.words_of_parameters(decl, count);
        let parameters: Vec<Node<'t>> =
            template.named_children(&mut template.walk()).filter(|p| p.kind() != "comment").collect();
        for (i, (parameter, name)) in parameters.into_iter().zip(&names).enumerate() {
            // A default is not looked at where the argument is there.
            self.constraints_of_parameter(parameter, &names, i >= given && !said.contains(name), &mut found);
        }
        let returned = child_of_kind(decl.declarator, "trailing_return_type");
        for ty in decl.node.child_by_field_name("type").into_iter().chain(returned) {
            self.constraints_in(ty, &names, false, 0, &mut found);
        }
        let list = decl.declarator.child_by_field_name("parameters");
        let parameters: Vec<Node<'t>> = list.map(|l| l.named_children(&mut l.walk()).collect()).unwrap_or_default();
        for parameter in parameters {
            let default = parameter.child_by_field_name("default_value");
            let parts: Vec<Node<'t>> = parameter.named_children(&mut parameter.walk()).collect();
            for part in parts.into_iter().filter(|part| Some(*part) != default) {
                self.constraints_in(part, &names, false, 0, &mut found);
            }
        }
        found
    }

    /// What constrains the arguments of a template by one of its parameters.
    fn constraints_of_parameter(
        &self,
        parameter: Node<'t>,
        names: &[String],
        by_default: bool,
        found: &mut Vec<Constraint<'t>>,
    ) {
        let of_value = matches!(
            parameter.kind(),
            "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration"
        );
        if let Some(ty) = parameter.child_by_field_name("type").filter(|_| of_value) {
            self.constraints_in(ty, names, true, 0, found);
        }
        let value = parameter.child_by_field_name("default_value");
        let has_name = parameter.child_by_field_name("declarator").is_some();
        if value.is_some_and(|value| by_default && !has_name && self.names_any(value, names)) {
            found.push(Constraint::Other);
        }
        for default in parameter.child_by_field_name("default_type").into_iter().chain(value).filter(|_| by_default) {
            self.constraints_in(default, names, true, 0, found);
        }
    }

    /// What in a part of a declaration may be nothing for some arguments of the template with these parameters; `strict`: a
    /// template that nothing declares may be the name of a type.
    fn constraints_in(
        &self,
        node: Node<'t>,
        names: &[String],
        strict: bool,
        depth: usize,
        found: &mut Vec<Constraint<'t>>,
    ) {
        const DEPTH: usize = 30;
        if depth > DEPTH {
            found.push(Constraint::Other);
            return;
        }
        match node.kind() {
            "qualified_identifier" => {
                let (mut current, mut last) = (node, None);
                while current.kind() == "qualified_identifier" {
                    last = current.child_by_field_name("scope");
                    if last.is_some_and(|scope| self.names_any(scope, names)) {
                        break;
                    }
                    match current.child_by_field_name("name") {
                        Some(name) => current = name,
                        None => break,
                    }
                }
                match last.filter(|scope| self.names_any(*scope, names)) {
                    // `enable_if<c, T>::type`
                    Some(scope) if self.condition_in(scope).is_some() => {
                        self.constraints_in(scope, names, strict, depth + 1, found);
                    }
                    Some(_) => found.push(Constraint::Member(node)),
                    None => self.constraints_in(current, names, strict, depth + 1, found),
                }
            }
            "template_type" | "template_function" | "template_method" => {
                let Some(arguments) = node.child_by_field_name("arguments") else { return };
                let condition = self.condition_in(node);
                found.extend(condition.map(Constraint::Condition));
                if condition.is_none() && self.names_any(arguments, names) && self.may_be_no_type(node, strict, depth) {
                    found.push(Constraint::Other);
                }
                let inner: Vec<Node<'t>> = arguments.named_children(&mut arguments.walk()).collect();
                for argument in inner.into_iter().filter(|argument| Some(*argument) != condition) {
                    self.constraints_in(argument, names, strict, depth + 1, found);
                }
            }
            "decltype" => {
                if self.text(node).split_whitespace().collect::<String>() != "decltype(auto)" {
                    found.push(Constraint::Other);
                }
            }
            "call_expression" | "ERROR" if self.names_any(node, names) => found.push(Constraint::Other),
            kind => {
                if kind.ends_with("array_declarator")
                    && let Some(size) = node.child_by_field_name("size")
                    && size.kind() != "identifier"
                    && self.names_any(size, names)
                {
                    found.push(Constraint::Other);
                }
                let inner: Vec<Node<'t>> = node.named_children(&mut node.walk()).collect();
                for part in inner {
                    self.constraints_in(part, names, strict, depth + 1, found);
                }
            }
        }
    }

    /// The condition of `enable_if_t<c, T>`, or of `enable_if<c, T>` in front of `::`, of the standard library.
    fn condition_in(&self, node: Node<'t>) -> Option<Node<'t>> {
        let name = node.child_by_field_name("name").map_or("", |n| self.text(n));
        let is_scope = node.parent().is_some_and(|p| p.child_by_field_name("scope") == Some(node));
        let is_meant = name == "enable_if_t" || name == "enable_if" && is_scope;
        let is_meant = is_meant && !self.lower.names.types.contains_key(name);
        let arguments = node.child_by_field_name("arguments").filter(|_| is_meant)?;
        arguments.named_children(&mut arguments.walk()).find(|n| n.kind() != "comment")
    }

    /// May a template with arguments be no type for some of them? A class always is one, unless it is constrained itself.
    fn may_be_no_type(&self, node: Node<'t>, strict: bool, depth: usize) -> bool {
        let name = node.child_by_field_name("name").map_or("", |n| self.text(n));
        let Some(list) = self.lower.names.types.get(name) else {
            let of_library = node.parent().filter(|p| p.kind() == "qualified_identifier");
            let of_library = of_library.and_then(|p| p.child_by_field_name("scope")).map_or("", |s| self.text(s));
            let is_class = matches!(of_library, "std" | "cuda" | "cub" | "thrust" | "cg" | "cooperative_groups");
            let lower = name.to_lowercase();
            let reads_so = name.ends_with("_t") || lower.contains("enable") || lower.contains("require");
            return reads_so || strict && !is_class;
        };
        list.iter().any(|(_, decl)| {
            let ty = match decl {
                TypeDecl::Class(node, _) => *node,
                TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) => ty.parent().unwrap_or(*ty),
                TypeDecl::Typedef(..) | TypeDecl::Enum(_) => return false,
                TypeDecl::Unread => return true,
            };
            let Some(template) = ty.parent().filter(|p| p.kind() == "template_declaration") else { return false };
            let Some(parameters) = template.child_by_field_name("parameters") else { return false };
            let names = self.template_parameters(parameters);
            let mut found = Vec::new();
            let own: Vec<Node<'t>> =
                parameters.named_children(&mut parameters.walk()).filter(|p| p.kind() != "comment").collect();
            for parameter in own {
                self.constraints_of_parameter(parameter, &names, true, &mut found);
            }
            if let TypeDecl::Alias(ty) | TypeDecl::AliasTemplate(ty) = decl {
                self.constraints_in(*ty, &names, true, depth + 1, &mut found);
            }
            !found.is_empty() || has_child(template, "requires_clause")
        })
    }

    /// Is there the member that this names, for these arguments? Numbers and pointers have none.
    fn is_member_there(
        &mut self,
        decl: &FunDecl<'t>,
        bindings: &Bindings,
        node: Node<'t>,
        names: &[String],
    ) -> Option<bool> {
        let scope = node.child_by_field_name("scope").map_or("", |scope| self.text(scope));
        let of_class = node.child_by_field_name("name").is_some_and(|n| n.kind() == "pointer_type_declarator");
        let is_type = node.parent().is_some_and(|p| p.kind() == "dependent_type");
        let bound = bindings.types.get(scope).filter(|_| names.iter().any(|n| n == scope));
        let plain = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(4 | 8) | Type::Ptr(_));
        match bound {
            Some(ty) if plain(ty) && (is_type || of_class) => Some(false),
            Some(Type::Struct(_)) if of_class => Some(true),
            _ if is_type => {
                let ty = self.inside(decl, bindings, |body| body.type_of(node));
                matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_) | Type::Struct(_)).then_some(true)
            }
            _ => None,
        }
    }

    /// Is a condition of numbers and sizes alone?
    fn is_computed(&self, condition: Node<'t>) -> bool {
        const PLAIN: [&str; 8] = [
            "binary_expression",
            "parenthesized_expression",
            "sizeof_expression",
            "number_literal",
            "identifier",
            "type_descriptor",
            "primitive_type",
            "type_identifier",
        ];
        let mut plain = true;
        each_named(condition, |n| plain &= PLAIN.contains(&n.kind()));
        plain
    }

    /// Does a text have one of these names in it?
    fn names_any(&self, node: Node<'t>, names: &[String]) -> bool {
        let mut words = self.text(node).split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| names.iter().any(|n| n == word))
    }

    /// Has a parameter of a template a concept, `template <std::integral T>`, which reads like the type of a value?
    pub(super) fn has_concept(&mut self, template: Node<'t>) -> bool {
        let own = self.template_parameters(template);
        let parameters: Vec<Node<'t>> = template.named_children(&mut template.walk()).collect();
        let types = parameters.into_iter().filter(|p| p.kind().ends_with("parameter_declaration"));
        // What has a number as its default is one.
        let is_number = |p: &Node<'t>| {
            let value = p.child_by_field_name("default_value");
            value.is_some_and(|v| matches!(v.kind(), "number_literal" | "true" | "false" | "null"))
        };
        let types = types.filter(|p| !is_number(p));
        let types: Vec<Node<'t>> = types.filter_map(|p| p.child_by_field_name("type")).collect();
        types.into_iter().any(|ty| {
            let named = matches!(ty.kind(), "type_identifier" | "qualified_identifier" | "template_type");
            let text = self.text(ty).to_owned();
            let is_condition = self.condition_in(self.lower.unit.qualified(ty).1).is_some();
            named && !is_condition && !own.contains(&text) && matches!(self.type_of(ty), Type::Unknown(_))
        })
    }
}

/// `int f(int (i))`: the name of a parameter in parentheses reads as the type of one of a function.
pub(super) fn may_name_in_parentheses(decl: &FunDecl) -> bool {
    let Some(list) = decl.declarator.child_by_field_name("parameters") else { return false };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).any(|parameter| {
        let declarator = parameter.child_by_field_name("declarator");
        let inner = declarator.filter(|d| d.kind() == "abstract_function_declarator");
        inner.and_then(|d| d.child_by_field_name("parameters")).is_some_and(|inner| {
            let only = inner.named_child(0).filter(|_| inner.named_child_count() == 1);
            only.is_some_and(|p| p.child_count() == 1 && p.child(0).is_some_and(|ty| ty.kind() == "type_identifier"))
        })
    })
}
