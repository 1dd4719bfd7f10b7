//! Collectives of CUB and hipCUB: reductions and scans of a block through storage that all its threads share, and of a warp
//! through its registers; loads and stores of what a block works on, and exchanges between its threads.
//!
//! In a block of several warps the first thread of each writes its part of the storage; after a barrier the threads that need
//! the result read it. Nothing orders the read with the next use of the storage: that is for the program to do.

use super::vector::is_pure;
use super::*;

/// What the type of temporary storage is called here.
const STORAGE: &str = "cub::TempStorage";

/// Most items that each thread has.
const MOST: u64 = 64;
/// No warp of any GPU has more threads.
const LARGEST_WARP: i128 = 64;

#[derive(Clone, Copy, PartialEq)]
enum Collective {
    BlockReduce,
    BlockScan,
    /// A reduction or scan of whole warps, which exchange values and touch no memory.
    Warp,
    Load(Arrangement),
    Store(Arrangement),
    Exchange,
    /// Differences or flags of neighbours.
    Neighbours,
    Sort,
}

/// Which elements each thread loads or stores.
#[derive(Clone, Copy, PartialEq)]
struct Arrangement {
    order: Order,
    /// Who exchanges elements through the storage to have them in the order of the threads.
    exchanged: Option<Scope>,
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// Each thread has some in a row.
    Blocked,
    /// In a row are those of the threads of the block, or of the warp.
    Striped,
    WarpStriped,
}

/// What the name of an algorithm says, `cub::BLOCK_LOAD_TRANSPOSE`.
fn arrangement(algorithm: Option<&str>, prefix: &str) -> Option<Arrangement> {
    let Some(name) = algorithm else { return Some(Arrangement { order: Order::Blocked, exchanged: None }) };
    let (order, exchanged) = match name.rsplit("::").next()?.trim().strip_prefix(prefix)? {
        "DIRECT" | "VECTORIZE" => (Order::Blocked, None),
        "STRIPED" => (Order::Striped, None),
        "TRANSPOSE" => (Order::Striped, Some(Scope::Block)),
        "WARP_TRANSPOSE" => (Order::WarpStriped, Some(Scope::Warp)),
        "WARP_TRANSPOSE_TIMESLICED" => (Order::WarpStriped, Some(Scope::Block)),
        _ => return None,
    };
    Some(Arrangement { order, exchanged })
}

/// Operations of libraries: what they are called.
const OF_LIBRARIES: [&str; 19] = [
    "plus",
    "less",
    "greater",
    "bit_and",
    "bit_or",
    "bit_xor",
    "multiplies",
    "minimum",
    "maximum",
    "logical_and",
    "logical_or",
    "Sum",
    "Difference",
    "Max",
    "Min",
    "ArgMax",
    "ArgMin",
    "Equality",
    "Inequality",
];

/// The operation that a type of a library stands for, as it is written: `cub::ArgMax`, `thrust::plus<int>`.
pub fn library_operation(written: &str) -> Option<&str> {
    let stem = written.split('<').next()?.trim();
    let (scope, name) = stem.rsplit_once("::")?;
    let scope = scope.trim_start_matches("::");
    let known = matches!(scope, "cub" | "hipcub" | "thrust" | "std" | "cuda" | "cuda::std");
    OF_LIBRARIES.contains(&name).then_some(name).filter(|_| known)
}

/// What this type is, as it is written.
fn collective(ty: &Type) -> Option<Collective> {
    let Type::Unknown(text) = ty.value() else { return None };
    let (head, arguments) = text.split_once('<')?;
    let arguments = arguments.strip_suffix('>')?;
    match head.strip_prefix("cub::").or_else(|| head.strip_prefix("hipcub::"))? {
        "BlockReduce" => Some(Collective::BlockReduce),
        "BlockScan" => Some(Collective::BlockScan),
        "BlockExchange" => Some(Collective::Exchange),
        "BlockAdjacentDifference" | "BlockDiscontinuity" => Some(Collective::Neighbours),
        "BlockRadixSort" => Some(Collective::Sort),
        "BlockLoad" | "BlockStore" if !arguments.contains(['<', '(']) => {
            let algorithm = arguments.split(',').nth(3);
            match head.ends_with("Load") {
                true => arrangement(algorithm, "BLOCK_LOAD_").map(Collective::Load),
                false => arrangement(algorithm, "BLOCK_STORE_").map(Collective::Store),
            }
        }
        "WarpReduce" | "WarpScan" if !arguments.contains([',', '<']) => Some(Collective::Warp),
        _ => None,
    }
}

/// Is this the name of a template of such types?
pub fn is_collective(name: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "BlockReduce",
        "BlockScan",
        "BlockExchange",
        "BlockAdjacentDifference",
        "BlockDiscontinuity",
        "BlockRadixSort",
        "BlockLoad",
        "BlockStore",
        "WarpReduce",
        "WarpScan",
    ];
    KNOWN.contains(&name)
}

/// Is this the temporary storage of a collective?
pub(super) fn is_storage(ty: &Type) -> bool {
    match ty.value() {
        Type::Unknown(name) => &**name == STORAGE,
        Type::Array(inner, _) | Type::Ptr(inner) => is_storage(inner),
        _ => false,
    }
}

/// The type of a member of a collective.
pub fn member_of_collective(of: &Type, name: &str) -> Option<Type> {
    (collective(of).is_some() && name == "TempStorage").then(|| Type::Unknown(Arc::from(STORAGE)))
}

impl<'l, 't> Body<'l, 't> {
    /// `BlockReduce(storage)`: an object that stands for its storage.
    pub(super) fn collective_object(&mut self, ty: &Type, storage: Node<'t>, span: Span) -> Option<Expr> {
        collective(ty)?;
        let storage = self.expr(storage);
        if !is_place(&storage) || !matches!(storage.ty.value(), Type::Unknown(name) if &**name == STORAGE) {
            return Some(self.unclear("the storage of this collective is not known".to_owned(), vec![storage], span));
        }
        Some(Expr::new(ExprKind::AddressOf(Box::new(storage)), ty.value().clone(), span))
    }

    /// `object.Sum(value)` and its like. `None`: this is not understood.
    pub(super) fn collective_call(&mut self, object: &Expr, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let kind = collective(&object.ty)?;
        let ExprKind::AddressOf(storage) = &object.kind else { return None };
        let collective_type = object.ty.clone();
        let reduces = matches!(name, "Sum" | "Reduce");
        let scans = matches!(name, "ExclusiveSum" | "InclusiveSum" | "ExclusiveScan" | "InclusiveScan");
        let known = match kind {
            Collective::Load(how) if name == "Load" => return self.moves(how, false, storage, args, span),
            Collective::Store(how) if name == "Store" => return self.moves(how, true, storage, args, span),
            Collective::Exchange => return self.exchanges(name, storage, args, span),
            Collective::Neighbours => return self.compares_neighbours(name, storage, args, span),
            Collective::Sort => return self.sorts(name, storage, args, span),
            Collective::Load(_) | Collective::Store(_) => return None,
            Collective::BlockReduce => reduces,
            Collective::BlockScan => scans,
            Collective::Warp => reduces || scans,
        };
        if let Type::Array(elem, Some(count @ 1..=MOST)) = args.first()?.ty.value().clone() {
            let fits = match kind {
                Collective::BlockReduce => reduces,
                Collective::BlockScan => scans,
                _ => false,
            };
            return if fits { self.of_items(&elem, count, object, reduces, args, span) } else { None };
        }
        // An operation that the program defines may do more than compute.
        let number = |e: &Expr| matches!(e.ty.value(), Type::Int(_) | Type::Float(_));
        let operand = args.first()?.clone();
        // An object is only combined by an operation that is given.
        let object = name == "Reduce" && is_object(&operand);
        let plain = args.iter().skip(usize::from(object)).all(|a| number(a) || self.operation_computes(a, &operand));
        let outputs: Vec<&Expr> = match args {
            _ if reduces => vec![],
            [_, output, rest @ ..] if is_place(output) => {
                std::iter::once(output).chain(rest.iter().filter(|e| number(e) && is_place(e))).collect()
            }
            _ => return None,
        };
        let value = args.first().filter(|_| known && plain)?;
        let Some(ty) = self.combined(&collective_type, value.ty.value()) else {
            return reduces.then(|| {
                self.unclear("the type of what this collective gives is not known".to_owned(), args.to_vec(), span)
            });
        };
        let threads = self.threads_of(&collective_type);
        let havoc = |body: &mut Self, ty: &Type| {
            let args = vec![body.value(value.clone())];
            Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new(name)), args), ty.clone(), span)
        };
        let mut parts = Vec::new();
        if kind != Collective::Warp {
            parts.push(self.through_storage((**storage).clone(), threads, kind == Collective::BlockScan, span));
        }
        for output in outputs {
            let result = havoc(self, output.ty.value());
            parts.push(self.assign(output.clone(), result, span));
        }
        let result = if reduces {
            havoc(self, &ty)
        } else {
            Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span)
        };
        Some(parts.into_iter().rev().fold(result, |last, part| {
            let ty = last.ty.clone();
            Expr::new(ExprKind::Comma(Box::new(part), Box::new(last)), ty, span)
        }))
    }

    /// What a collective does, in a block of as many threads as it is made for.
    pub(super) fn in_block_of(&mut self, of: &Type, made: Expr, span: Span) -> Expr {
        let Some(threads) = self.threads_of(of).and_then(|n| u32::try_from(n).ok()) else { return made };
        let block = Expr::new(ExprKind::Intrinsic(Intrinsic::BlockOf(threads), vec![]), Type::Void, span);
        self.preceded([block], made)
    }

    /// How many threads a collective of a block is made for: `BlockReduce<T, 256>`.
    fn threads_of(&self, of: &Type) -> Option<i128> {
        let Type::Unknown(text) = of.value() else { return None };
        // The number in the text: a name may mean another one where the type was written. More arguments may say more axes.
        let arguments = split_list(text.split_once('<')?.1.strip_suffix('>')?);
        let [_, said] = arguments.as_slice() else { return None };
        said.trim().parse().ok().filter(|_| !text.contains("Warp"))
    }

    /// The type of what a reduction gives: that of the collective, whatever it is given.
    fn combined(&mut self, of: &Type, given: &Type) -> Option<Type> {
        let text = if let Type::Unknown(text) = of.value() { &**text } else { "" };
        let arguments = text.split_once('<').map_or("", |(_, rest)| rest.trim_end_matches('>'));
        let first = split_list(arguments).first().map_or("", |first| first.trim());
        let names = self.lower.names;
        // A name of the program may mean another type where the collective was named.
        let is_own = names.types.contains_key(first) || names.type_parameters.contains(first);
        match self.type_by_name(first) {
            said @ (Type::Int(_) | Type::Float(_)) if !is_own || said == *given => Some(said),
            // Another integer is converted; what is none is what it is.
            _ if !matches!(given, Type::Int(_)) => Some(given.clone()),
            _ => None,
        }
    }

    /// `Sum(items)`, `ExclusiveScan(items, results, first, operation, all)`: of several items of each thread.
    fn of_items(
        &mut self,
        elem: &Type,
        count: u64,
        object: &Expr,
        reduces: bool,
        args: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let ExprKind::AddressOf(storage) = &object.kind else { return None };
        let threads = self.threads_of(&object.ty);
        let number = |e: &Expr| matches!(e.ty.value(), Type::Int(_) | Type::Float(_));
        let (items, results, rest) = match args {
            [items, rest @ ..] if reduces => (items, None, rest),
            [items, results, rest @ ..] => (items, Some(results), rest),
            _ => return None,
        };
        let at = |i: u64| Expr::new(ExprKind::Int(i128::from(i)), Type::INT, span);
        let first = self.subscript(items.clone(), at(0), span);
        let is_own = |e: &Expr| is_place(e) && is_pure(e) && e.ty.value() == items.ty.value();
        if !number(&first)
            || !std::iter::once(items).chain(results).all(is_own)
            || !rest.iter().all(|a| number(a) || self.operation_computes(a, &first))
        {
            return None;
        }
        let mut steps = Vec::new();
        for i in 0..count {
            let item = self.subscript(items.clone(), at(i), span);
            let item = self.value(item);
            steps.push(self.havoc("item", Type::INT, vec![item], span));
        }
        steps.push(self.through_storage((**storage).clone(), threads, !reduces, span));
        if let Some(results) = results {
            steps.extend(self.new_items(results, elem, count, span));
            for output in rest.iter().filter(|e| number(e) && is_place(e)) {
                let all = self.havoc("all", output.ty.value().clone(), Vec::new(), span);
                steps.push(self.assign(output.clone(), all, span));
            }
        }
        let last = match reduces {
            true => self.havoc("Sum", elem.clone(), Vec::new(), span),
            false => Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span),
        };
        Some(self.preceded(steps, last))
    }

    /// Is this an operation of a library, or an object without members whose operator does nothing but compute with two of
    /// these numbers?
    pub(super) fn operation_computes(&mut self, object: &Expr, operand: &Expr) -> bool {
        // `Sum()`, or `Sum{}`, which nothing here declares.
        let named = match (&object.kind, &object.ty) {
            (ExprKind::CallUnknown(name, args), _) if args.is_empty() => Some(name.as_str()),
            (ExprKind::Convert(_), Type::Unknown(ty)) if !self.hidden_names() => {
                ty.split('<').next().and_then(|stem| stem.rsplit("::").next())
            }
            (ExprKind::Var(_), Type::Unknown(ty)) => library_operation(ty),
            _ => None,
        };
        if let Some(name) = named {
            return OF_LIBRARIES.contains(&name.trim()) && !self.is_parameter(name);
        }
        if let ExprKind::Function(id) = object.kind {
            return self.combines(id, operand.ty.value());
        }
        let class = object.ty.value().clone();
        let empty = matches!(&class, Type::Struct(c) if c.complete && c.fields.is_empty());
        let made = match &object.kind {
            ExprKind::Aggregate(parts) => parts.is_empty(),
            ExprKind::Var(_) => true,
            _ => false,
        };
        let numbers = matches!(operand.ty.value(), Type::Int(_) | Type::Float(_));
        if !empty || !made || !numbers && !is_object(operand) {
            return false;
        }
        let args = [operand.clone(), operand.clone()];
        match self.method(&class, "operator()", None, &args) {
            Method::One(member) if !member.is_virtual && member.cost < FAR => {
                let id = self.lower.request(member.decl, member.bindings);
                self.lower.only_computes(id, 0)
            }
            _ => false,
        }
    }

    /// `op(a, b)` for an object of a library that stands for an operation: `thrust::plus<int> op;`. [INF-OPERATION]
    pub(super) fn apply_operation(&mut self, target: &Expr, args: &[Expr], span: Span) -> Option<Expr> {
        let Type::Unknown(ty) = target.ty.value() else { return None };
        let name = library_operation(ty)?;
        let [a, b] = args else { return None };
        let (a, b) = (self.value(a.clone()), self.value(b.clone()));
        let number = |e: &Expr| matches!(e.ty, Type::Int(_) | Type::Float(_));
        if matches!(name, "ArgMax" | "ArgMin") {
            let pair = a.ty.clone();
            let known = is_object(&a) && pair == b.ty && self.class_node(&pair).is_none();
            return known.then(|| self.opaque(name, vec![a, b], pair, span));
        }
        let names = self.lower.names;
        if !number(&a) || !number(&b) || names.special_classes.contains_key(name) {
            return None;
        }
        // Of a type that is said, or of those that are given.
        let said = ty.split_once('<').map(|(_, said)| said.trim_end_matches('>').trim());
        let (a, b, result) = match said.filter(|said| !said.is_empty() && *said != "void") {
            Some(said) => {
                // A name of the program may mean another type where the operation was named.
                let is_own = names.types.contains_key(said) || names.type_parameters.contains(said);
                let said = if is_own { Type::Void } else { self.type_by_name(said) };
                matches!(said, Type::Int(_) | Type::Float(_)).then_some(())?;
                (self.convert(a, &said), self.convert(b, &said), Some(said))
            }
            // Versions of the library differ in what they make of two that are narrow, or of different types.
            None if a.ty != b.ty || matches!(a.ty, Type::Int(_)) && a.ty.size() < 4 => return None,
            None => (a, b, None),
        };
        let compares = ["less", "greater", "logical_and", "logical_or", "Equality", "Inequality"].contains(&name);
        let symbol = match name {
            "plus" | "Sum" => "+",
            "multiplies" => "*",
            "less" => "<",
            "greater" => ">",
            "bit_and" => "&",
            "bit_or" => "|",
            "bit_xor" => "^",
            "logical_and" => "&&",
            "logical_or" => "||",
            "Difference" => "-",
            "Equality" => "==",
            "Inequality" => "!=",
            _ => {
                let of = if matches!(name, "Max" | "maximum") { "max" } else { "min" };
                return Some(self.call_builtin(builtins::function(of)?, vec![a, b], span));
            }
        };
        let value = self.binary(symbol, a, b, span);
        // The sum of two narrow numbers is narrow.
        Some(match result.filter(|_| !compares) {
            Some(ty) => self.convert(value, &ty),
            None => value,
        })
    }

    /// Is this a function of two such values that only computes? Numbers of other types are converted.
    fn combines(&mut self, id: FunId, operand: &Type) -> bool {
        let number = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_));
        let fits = |ty: &Type| ty.value() == operand || number(ty.value()) && number(operand);
        let taken =
            self.lower.lowered(id).map(|f| f.vars.iter().take(f.params).map(|v| v.ty.clone()).collect::<Vec<_>>());
        taken.is_some_and(|types| types.len() == 2 && types.iter().all(fits)) && self.lower.only_computes(id, 0)
    }

    /// `Load(from, items, valid, other)`, `Store(to, items, valid)`.
    fn moves(&mut self, how: Arrangement, stores: bool, storage: &Expr, args: &[Expr], span: Span) -> Option<Expr> {
        let [pointer, items, rest @ ..] = args else { return None };
        let Type::Array(elem, Some(count @ 1..=MOST)) = items.ty.value().clone() else { return None };
        let plain = rest.iter().all(|a| matches!(a.ty.value(), Type::Int(_) | Type::Float(_)));
        if !is_place(items) || !is_pure(items) || !plain || rest.len() > if stores { 1 } else { 2 } {
            return None;
        }
        let pointer = self.value(pointer.clone());
        let Type::Ptr(target) = pointer.ty.clone() else { return None };
        let mut steps = Vec::new();
        let pointer = self.kept(pointer, &mut steps, span);
        let valid = match rest.first() {
            Some(valid) => {
                let valid = self.value(valid.clone());
                let valid = self.convert(valid, &Type::INT);
                Some(self.kept(valid, &mut steps, span))
            }
            None => None,
        };
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let builtin = |b: Builtin| {
            Expr::new(ExprKind::Convert(Box::new(Expr::new(ExprKind::Builtin(b), Type::UINT, span))), Type::INT, span)
        };
        let (thread, warp) = (builtin(Builtin::LinearThread), builtin(Builtin::WarpSize));
        if let (true, Some(scope)) = (stores, how.exchanged) {
            steps.push(self.exchange(storage.clone(), scope, span));
        }
        for i in 0..i128::from(count) {
            let (row, within) = match how.order {
                Order::Blocked => (self.binary("*", thread.clone(), int(i128::from(count)), span), int(i)),
                Order::Striped => (self.binary("*", builtin(Builtin::BlockSize), int(i), span), thread.clone()),
                Order::WarpStriped => {
                    let first = self.binary("/", thread.clone(), warp.clone(), span);
                    let first = self.binary("*", first, int(i128::from(count)), span);
                    let row = self.binary("+", first, int(i), span);
                    let lane = self.binary("%", thread.clone(), warp.clone(), span);
                    (self.binary("*", row, warp.clone(), span), lane)
                }
            };
            let at = self.binary("+", row, within, span);
            let place = ExprKind::Offset(Box::new(pointer.clone()), Box::new(at.clone()));
            let place = self.deref(Expr::new(place, pointer.ty.clone(), span), span);
            let own = self.subscript(items.clone(), int(i), span);
            let step = if stores {
                let value = self.havoc("Store", (*target).clone(), vec![self.value(own)], span);
                self.assign(place, value, span)
            } else {
                self.havoc("Load", Type::INT, vec![self.value(place)], span)
            };
            let step = Expr { ty: Type::Void, ..step };
            steps.push(match &valid {
                Some(valid) => {
                    let within = self.binary("<", at, valid.clone(), span);
                    let nothing = self.intrinsic_call(Intrinsic::Nothing, vec![], span);
                    let choice = ExprKind::Choose(Box::new(within), Box::new(step), Box::new(nothing));
                    Expr::new(choice, Type::Void, span)
                }
                None => step,
            });
        }
        if !stores {
            steps.extend(how.exchanged.map(|scope| self.exchange(storage.clone(), scope, span)));
            steps.extend(self.new_items(items, &elem, count, span));
        }
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }

    /// `StripedToBlocked(items)`, `BlockedToStriped(items, others)`.
    fn exchanges(&mut self, name: &str, storage: &Expr, args: &[Expr], span: Span) -> Option<Expr> {
        let scope = match name {
            "StripedToBlocked" | "BlockedToStriped" => Scope::Block,
            "WarpStripedToBlocked" | "BlockedToWarpStriped" => Scope::Warp,
            _ => return None,
        };
        let ([to] | [_, to]) = args else { return None };
        let Type::Array(elem, Some(count)) = to.ty.value().clone() else { return None };
        if !args.iter().all(|a| is_place(a) && is_pure(a)) || count > MOST {
            return None;
        }
        let mut steps = vec![self.exchange(storage.clone(), scope, span)];
        steps.extend(self.new_items(to, &elem, count, span));
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }

    /// `SubtractLeft(items, results, operation, before)`, `FlagHeads(flags, items, operation, before)` and their like: each
    /// thread has an item of its neighbour.
    fn compares_neighbours(&mut self, name: &str, storage: &Expr, args: &[Expr], span: Span) -> Option<Expr> {
        let [first, second, operation, rest @ ..] = args else { return None };
        let (items, results) = match name {
            "SubtractLeft" | "SubtractRight" => (first, second),
            "FlagHeads" | "FlagTails" => (second, first),
            _ => return None,
        };
        let number = |e: &Expr| matches!(e.ty.value(), Type::Int(_) | Type::Float(_));
        let item = self.first_item(items, span)?;
        let computes = self.operation_computes(operation, &item);
        if rest.len() > 1 || !rest.iter().all(number) || !computes || self.first_item(results, span).is_none() {
            return None;
        }
        let mut steps = self.all_items(items, span);
        for other in rest {
            let other = self.value(other.clone());
            steps.push(self.havoc("other", Type::INT, vec![other], span));
        }
        steps.push(self.exchange(storage.clone(), Scope::Block, span));
        steps.extend(self.items_made(results, span));
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }

    /// `Sort(keys, values, first_bit, last_bit)` and its like.
    fn sorts(&mut self, name: &str, storage: &Expr, args: &[Expr], span: Span) -> Option<Expr> {
        let known = ["Sort", "SortDescending", "SortBlockedToStriped", "SortDescendingBlockedToStriped"];
        let is_array = |e: &Expr| matches!(e.ty.value(), Type::Array(..));
        let arrays = args.iter().take_while(|a| is_array(a)).count();
        let (arrays, bits) = args.split_at(arrays);
        let plain = bits.iter().all(|a| matches!(a.ty.value(), Type::Int(_)));
        if !known.contains(&name) || !(1..=2).contains(&arrays.len()) || bits.len() > 2 || !plain {
            return None;
        }
        let mut steps = Vec::new();
        for items in arrays {
            self.first_item(items, span)?;
            steps.extend(self.all_items(items, span));
        }
        for bit in bits {
            let bit = self.value(bit.clone());
            steps.push(self.havoc("bit", Type::INT, vec![bit], span));
        }
        steps.push(self.exchange(storage.clone(), Scope::Block, span));
        for items in arrays {
            steps.extend(self.items_made(items, span));
        }
        let last = steps.pop()?;
        Some(self.preceded(steps, last))
    }

    /// The first of some numbers in an array; `None` if this is anything else, or not found twice in the same way.
    fn first_item(&mut self, items: &Expr, span: Span) -> Option<Expr> {
        let Type::Array(elem, Some(1..=MOST)) = items.ty.value() else { return None };
        let plain = matches!(**elem, Type::Int(_) | Type::Float(_)) && is_place(items) && is_pure(items);
        let first = Expr::new(ExprKind::Int(0), Type::INT, span);
        plain.then(|| self.subscript(items.clone(), first, span))
    }

    /// Reads all elements of an array.
    fn all_items(&mut self, items: &Expr, span: Span) -> Vec<Expr> {
        let Type::Array(_, Some(count)) = items.ty.value() else { return Vec::new() };
        let each = (0..*count).map(|i| {
            let at = Expr::new(ExprKind::Int(i128::from(i)), Type::INT, span);
            let item = self.subscript(items.clone(), at, span);
            let item = self.value(item);
            self.havoc("item", Type::INT, vec![item], span)
        });
        each.collect()
    }

    /// Gives the elements of an array values that are not known.
    fn items_made(&mut self, items: &Expr, span: Span) -> Vec<Expr> {
        match items.ty.value().clone() {
            Type::Array(elem, Some(count)) => self.new_items(items, &elem, count, span),
            _ => Vec::new(),
        }
    }

    /// Gives so many elements of an array values that are not known.
    fn new_items(&mut self, items: &Expr, elem: &Type, count: u64, span: Span) -> Vec<Expr> {
        let each = (0..count).map(|i| {
            let at = Expr::new(ExprKind::Int(i128::from(i)), Type::INT, span);
            let place = self.subscript(items.clone(), at, span);
            let value = self.havoc("Load", elem.clone(), Vec::new(), span);
            Expr { ty: Type::Void, ..self.assign(place, value, span) }
        });
        each.collect()
    }

    /// Each thread writes a part of the storage, and after a barrier reads that of another one.
    fn exchange(&mut self, storage: Expr, scope: Scope, span: Span) -> Expr {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::UINT, span);
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let thread = builtin(Builtin::LinearThread);
        let size = if scope == Scope::Warp { builtin(Builtin::WarpSize) } else { builtin(Builtin::BlockSize) };
        let start = self.binary("/", thread.clone(), size.clone(), span);
        let start = self.binary("*", start, size.clone(), span);
        let next = self.binary("+", thread.clone(), int(1), span);
        let next = self.binary("%", next, size, span);
        let next = self.binary("+", start, next, span);
        let (own, other) = (self.part_of_storage(&storage, thread, span), self.part_of_storage(&storage, next, span));
        let value = self.havoc("part", Type::Int(IntTy::U8), Vec::new(), span);
        let write = Expr { ty: Type::Void, ..self.assign(own, value, span) };
        let mask = if scope == Scope::Warp { vec![int(0xffff_ffff)] } else { Vec::new() };
        let barrier = self.intrinsic_call(Intrinsic::Barrier(scope), mask, span);
        let read = Expr { ty: Type::Void, ..self.value(other) };
        self.preceded([write, barrier], read)
    }

    fn part_of_storage(&mut self, storage: &Expr, at: Expr, span: Span) -> Expr {
        let byte = Type::Int(IntTy::U8).ptr();
        let start = ExprKind::AddressOf(Box::new(storage.clone()));
        let start = Expr::new(start, Type::Unknown(Arc::from(STORAGE)).ptr(), span);
        let start = Expr::new(ExprKind::Convert(Box::new(start)), byte.clone(), span);
        self.deref(Expr::new(ExprKind::Offset(Box::new(start), Box::new(at)), byte, span), span)
    }

    /// Of an object that has nothing but storage in one place, that: a union of it.
    pub(super) fn storage_in(&self, object: &Expr, span: Span) -> Option<Expr> {
        let Type::Struct(class) = object.ty.value() else { return None };
        let only = class.fields.iter().all(|f| f.offset == 0 && matches!(&f.ty, Type::Unknown(n) if &**n == STORAGE));
        if !only || !is_lvalue(object) || !is_pure(object) {
            return None;
        }
        let storage = Type::Unknown(Arc::from(STORAGE)).ptr();
        let address = self.address_of(object.clone(), span);
        Some(self.deref(Expr::new(ExprKind::Convert(Box::new(address)), storage, span), span))
    }

    /// What a collective of a block does with its storage: nothing in a block of one warp.
    fn through_storage(&mut self, storage: Expr, threads: Option<i128>, all_read: bool, span: Span) -> Expr {
        let int = |n: i128| Expr::new(ExprKind::Int(n), Type::INT, span);
        let builtin = |b: Builtin| Expr::new(ExprKind::Builtin(b), Type::UINT, span);
        let nothing = || Expr::new(ExprKind::Intrinsic(Intrinsic::Nothing, vec![]), Type::Void, span);
        let byte = Type::Int(IntTy::U8);
        let part = |body: &mut Self, at: Expr| body.part_of_storage(&storage, at, span);
        let choose = |cond: Expr, then: Expr| {
            let then = Expr { ty: Type::Void, ..then };
            Expr::new(ExprKind::Choose(Box::new(cond), Box::new(then), Box::new(nothing())), Type::Void, span)
        };
        let warp = self.binary("/", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let lane = self.binary("%", builtin(Builtin::LinearThread), builtin(Builtin::WarpSize), span);
        let own = part(self, warp);
        let value = Expr::new(ExprKind::Intrinsic(Intrinsic::Havoc(Name::new("part")), vec![]), byte.clone(), span);
        let write = self.assign(own, value, span);
        let leads = self.binary("==", lane, int(0), span);
        let write = choose(leads, write);
        let barrier = Expr::new(ExprKind::Intrinsic(Intrinsic::Barrier(Scope::Block), vec![]), Type::Void, span);
        // The part of the second warp, for the first thread; for others that of the first.
        let first = self.binary("==", builtin(Builtin::LinearThread), int(0), span);
        let other =
            Expr::new(ExprKind::Choose(Box::new(first.clone()), Box::new(int(1)), Box::new(int(0))), Type::INT, span);
        let read = part(self, other);
        let read = self.value(read);
        let read = if all_read { Expr { ty: Type::Void, ..read } } else { choose(first, read) };
        let steps = Expr::new(ExprKind::Comma(Box::new(barrier), Box::new(read)), Type::Void, span);
        let steps = Expr::new(ExprKind::Comma(Box::new(write), Box::new(steps)), Type::Void, span);
        // A block has as many threads as the collective is made for.
        if threads.is_some_and(|n| n > LARGEST_WARP) {
            return steps;
        }
        let several = self.binary("<", builtin(Builtin::WarpSize), builtin(Builtin::BlockSize), span);
        choose(several, steps)
    }
}

/// Is this an object of a class that is known?
fn is_object(e: &Expr) -> bool {
    matches!(e.ty.value(), Type::Struct(class) if class.complete)
}
