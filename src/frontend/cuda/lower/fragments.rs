//! Matrices that the threads of a warp hold in parts: `wmma::fragment`, and how they are loaded and stored. [INF-FRAGMENT]
//!
//! Which thread holds which element is not said by the language. So a load reads an element of the matrix that is not
//! known, in each thread; a store writes one where the thread is the one that holds it. Nothing is ordered by them.

use super::*;

/// What is known of a fragment by its type: the sizes of its matrix, and whether rows are contiguous, where that is said.
struct Fragment {
    rows: i128,
    columns: i128,
    by_rows: Option<bool>,
}

const HEAD: &str = "wmma::fragment<";

fn fragment(ty: &Type) -> Option<Fragment> {
    let Type::Struct(class) = ty.value() else { return None };
    let parts: Vec<&str> = class.name.strip_prefix(HEAD)?.strip_suffix('>')?.split(',').collect();
    let [rows, columns, layout] = parts.as_slice() else { return None };
    let by_rows = match *layout {
        "row_major" => Some(true),
        "col_major" => Some(false),
        _ => None,
    };
    Some(Fragment { rows: rows.parse().ok()?, columns: columns.parse().ok()?, by_rows })
}

/// Is this the number of elements of a fragment that a thread holds?
pub(super) fn is_number_of_elements(of: &Type, name: &str) -> bool {
    name == "num_elements" && fragment(of).is_some()
}

/// The value of a name for how a matrix lies in memory.
pub(super) fn layout_constant(name: &str) -> Option<i128> {
    match name {
        "mem_row_major" => Some(0),
        "mem_col_major" => Some(1),
        _ => None,
    }
}

impl<'l, 't> Body<'l, 't> {
    /// `fragment<matrix_a, 16, 16, 16, half, row_major>`, unless a header that was not found may declare it otherwise.
    pub fn fragment_type(&mut self, name: &str, arguments: Node<'t>, qualifier: &Qualifier) -> Option<Type> {
        let of_library = qualifier.parts.last().is_some_and(|last| last == "wmma");
        if name != "fragment" || self.hidden_names() && !of_library {
            return None;
        }
        let list = self.template_arguments(arguments);
        let word = |body: &Self, node: &Node<'t>| body.text(*node).rsplit("::").next().unwrap_or("").trim().to_owned();
        let [kind, m, n, k, element, layout @ ..] = list.as_slice() else { return None };
        let (m, n, k) = (self.template_value(*m)?, self.template_value(*n)?, self.template_value(*k)?);
        let (rows, columns) = match word(self, kind).as_str() {
            "matrix_a" => (m, k),
            "matrix_b" => (k, n),
            "accumulator" => (m, n),
            _ => return None,
        };
        let fits = |n: i128| (1..=1024).contains(&n);
        if !fits(rows) || !fits(columns) || self.text(*element).contains("experimental") {
            return None;
        }
        let layout = layout.first().map(|l| word(self, l)).unwrap_or_default();
        let element = match self.type_of(*element) {
            Type::Unknown(_) => Type::Float(4),
            ty => ty,
        };
        let length = u64::try_from(rows * columns).ok()?;
        let fields = vec![(Arc::from("x"), Type::Array(Arc::new(element), Some(length)))];
        let name = format!("{HEAD}{rows},{columns},{layout}>");
        Some(Type::Struct(Arc::new(StructTy::layout(&name, fields, false, None, true))))
    }

    /// A call of a function on fragments.
    pub(super) fn fragment_call(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let is_fragment = |e: &Expr| fragment(&e.ty).is_some() && is_place(e);
        match (name, args) {
            ("fill_fragment", [to, value]) if is_fragment(to) => {
                Some(self.fill(name, to.clone(), vec![value.clone()], span))
            }
            ("mma_sync", [to, a, b, c, ..]) if [to, a, b, c].into_iter().all(is_fragment) => {
                Some(self.fill(name, to.clone(), args[1..].to_vec(), span))
            }
            ("load_matrix_sync", [to, from, stride, layout @ ..]) if is_fragment(to) => {
                let (mut effects, place, _) = self.element(&to.ty, from, stride, layout.first(), span)?;
                let load = self.fill(name, to.clone(), vec![place], span);
                effects.push(load);
                let done = effects.pop()?;
                Some(self.after(effects, done, span))
            }
            ("store_matrix_sync", [to, from, stride, layout @ ..]) if is_fragment(from) => {
                let (mut effects, place, numbers) = self.element(&from.ty, to, stride, layout.first(), span)?;
                let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
                let lane = self.binary("%", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
                let holder = self.opaque("holder", numbers, Type::UINT, span);
                let holds = self.binary("==", lane, holder, span);
                let value = Intrinsic::Havoc(Name::new(name));
                let ty = place.ty.value().clone();
                let value = Expr::new(ExprKind::Intrinsic(value, vec![self.value(from.clone())]), ty, span);
                let write = Expr { ty: Type::Void, ..self.assign(place, value, span) };
                let nothing = Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
                let write = ExprKind::Choose(Box::new(holds), Box::new(write), Box::new(nothing));
                effects.push(Expr::new(write, Type::Void, span));
                let done = effects.pop()?;
                Some(self.after(effects, done, span))
            }
            _ => None,
        }
    }

    /// Gives a fragment elements that are not known.
    fn fill(&self, name: &str, to: Expr, from: Vec<Expr>, span: Span) -> Expr {
        let args = from.into_iter().map(|e| self.value(e)).collect();
        let ty = to.ty.value().clone();
        let value = Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty.clone(), span);
        Expr::new(ExprKind::Assign(Box::new(to), Box::new(value)), ty, span)
    }

    /// An element of a matrix in memory that is not known: what chooses it, its place, and its row and column.
    fn element(
        &mut self,
        of: &Type,
        matrix: &Expr,
        stride: &Expr,
        layout: Option<&Expr>,
        span: Span,
    ) -> Option<(Vec<Expr>, Expr, Vec<Expr>)> {
        let Fragment { rows, columns, by_rows } = fragment(of)?;
        let long = Type::Int(IntTy::I64);
        let mut effects = Vec::new();
        let mut any = |body: &mut Self, count: i128, what: &str| {
            let any = Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(what)), vec![]), Type::INT, span);
            let within = Intrinsic::Pure(Name::new(what), Some((0, count - 1)));
            let number = Expr::new(ExprKind::Intrinsic(within, vec![any]), Type::INT, span);
            let id = body.declare_hidden(Type::INT, span);
            let place = Expr::new(ExprKind::Var(id), Type::INT, span);
            effects.push(Expr::new(ExprKind::Assign(Box::new(place.clone()), Box::new(number)), Type::INT, span));
            body.value(place)
        };
        let (row, column) = (any(self, rows, "row"), any(self, columns, "column"));
        let stride = self.value(stride.clone());
        let stride = self.convert(stride, &long);
        let (r, c) = (self.convert(row.clone(), &long), self.convert(column.clone(), &long));
        let offset = |body: &mut Self, line: &Expr, within: &Expr| {
            let start = body.binary("*", line.clone(), stride.clone(), span);
            body.binary("+", start, within.clone(), span)
        };
        let offset = match (by_rows, layout) {
            (Some(true), _) => offset(self, &r, &c),
            (Some(false), _) => offset(self, &c, &r),
            (None, Some(layout)) => {
                let (rowwise, columnwise) = (offset(self, &r, &c), offset(self, &c, &r));
                let layout = self.value(layout.clone());
                let zero = Expr::new(ExprKind::Int(0), Type::INT, span);
                let is_rowwise = self.binary("==", layout, zero, span);
                match fold(&is_rowwise) {
                    Some(0) => columnwise,
                    Some(_) => rowwise,
                    None => Expr::new(
                        ExprKind::Choose(Box::new(is_rowwise), Box::new(rowwise), Box::new(columnwise)),
                        long,
                        span,
                    ),
                }
            }
            (None, None) => return None,
        };
        let matrix = self.value(matrix.clone());
        matches!(matrix.ty.value(), Type::Ptr(_)).then_some(())?;
        let place = self.subscript(matrix, offset, span);
        Some((effects, place, vec![row, column]))
    }
}
