//! The machine: each thread has a stack of calls, and runs until it ends or waits at a barrier.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::background::Copies;
use super::barriers::{ALL, Status, release, stuck, wait};
use super::code::{Code, Op, compile, stored};
use super::exchange::offer;
use super::memory::{Fault, First, Home, Memory, ObjectId, int_bytes, mix, scalars, small};
use super::replay::Watch;
use super::texel::texel;
use super::value::{Value, arithmetic, atomic, convert, decode, encode, exact, opaque, outputs, pure, scalar};
use super::{Access, EACH, End, Inputs, Kind, Phase, Run, Stop, Thread, undefined, unsupported};
use crate::base::{Name, Span};
use crate::core::Scope;
use crate::exp::{IntTy, NBin, eval};
use crate::kernel::ir::{Builtin, Expr, ExprKind, FunId, Function, Global, GlobalId, Program, Storage, VarDecl, VarId};
use crate::kernel::types::{Field, StructTy, Type};

/// Functions as values: numbers that are no address.
const FUNCTIONS: i128 = 0xf << 60;
/// Bytes of an array without end.
const EVERYTHING: u64 = 1 << 38;
const MAX_CALLS: usize = 64;
/// Threads of a grid at most.
const MAX_THREADS: u64 = 1 << 12;

pub(super) struct Frame {
    pub function: FunId,
    code: Rc<Code>,
    pub pc: usize,
    vars: Vec<Option<ObjectId>>,
    temporaries: Vec<ObjectId>,
    pub stack: Vec<Value>,
    holes: Vec<Value>,
}

pub(super) struct Worker {
    pub number: u32,
    pub place: Thread,
    pub frames: Vec<Frame>,
    pub status: Status,
    /// For accesses to shared, and to global memory.
    pub phases: [Phase; 2],
    pub quiet: bool,
    pub copies: Copies,
}

pub(super) struct Machine<'p> {
    program: &'p Program,
    pub(super) inputs: &'p Inputs,
    code: FxHashMap<FunId, Rc<Code>>,
    pub(super) memory: Memory,
    globals: FxHashMap<GlobalId, ObjectId>,
    /// Shared variables by block: of functions, of the unit, and the one whose size the launch gives.
    shared: FxHashMap<(u32, FunId, Span), ObjectId>,
    unit_shared: FxHashMap<(u32, GlobalId), ObjectId>,
    dynamic: FxHashMap<u32, ObjectId>,
    accesses: Vec<Access>,
    pub steps: u64,
    wrapped: bool,
    /// The accesses that a replay looks for.
    pub watch: Option<Watch>,
    /// The objects whose places have numbers in shared memory.
    pub windows: Vec<i128>,
}

/// Runs a kernel.
///
/// Shape:  what happened, thread by thread in an order that the seed chooses, barrier by barrier.
/// Errors: none; a run that could not go on says so in [`Run::end`].
pub fn run(program: &Program, kernel: FunId, inputs: &Inputs) -> Run {
    let mut machine = Machine::new(program, inputs);
    let threads = threads(inputs);
    let mut params = BTreeMap::new();
    let end = machine.launch(kernel, &threads, &mut params);
    let objects = machine.memory.objects().iter().enumerate();
    let shared = objects.filter(|(_, o)| !matches!(o.home, Home::Thread(_)));
    let objects = shared.map(|(i, o)| (ObjectId(i as u32), o.name.clone())).collect();
    let (accesses, wrapped, memory) = (machine.accesses, machine.wrapped, machine.memory);
    Run { end, threads, accesses, objects, params, wrapped, memory }
}

/// All threads of the grid; none when there are too many.
pub(super) fn threads(inputs: &Inputs) -> Vec<Thread> {
    let count = inputs.block.iter().chain(&inputs.grid).fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
    if count > MAX_THREADS {
        return Vec::new();
    }
    let [gx, gy, gz] = inputs.grid;
    let block = |id: u32| [id % gx, id / gx % gy, id / (gx * gy)];
    (0..gx * gy * gz).flat_map(|id| threads_of_block(inputs, block(id))).collect()
}

/// The threads of one block.
pub(super) fn threads_of_block(inputs: &Inputs, block: [u32; 3]) -> Vec<Thread> {
    let [bx, by, bz] = inputs.block;
    (0..bx * by * bz)
        .map(|linear| thread_at(inputs, block, [linear % bx, linear / bx % by, linear / (bx * by)]))
        .collect()
}

/// A thread by its place.
pub(super) fn thread_at(inputs: &Inputs, block: [u32; 3], thread: [u32; 3]) -> Thread {
    let number = |at: [u32; 3], sizes: [u32; 3]| {
        at[0].wrapping_add(sizes[0].wrapping_mul(at[1].wrapping_add(sizes[1].wrapping_mul(at[2]))))
    };
    let warp = number(thread, inputs.block) / inputs.warp_size.max(1);
    Thread { block, thread, block_id: number(block, inputs.grid), warp }
}

fn not_initialised() -> Stop {
    Stop::Undefined(super::NOT_KNOWN.to_owned())
}

fn fault<T>(fault: Fault) -> Result<T, Stop> {
    match fault {
        Fault::Null => undefined("the null pointer is followed"),
        Fault::OutOfBounds => undefined(super::OUTSIDE),
        Fault::OutOfArray => undefined(super::SUBSCRIPT),
        Fault::Dead => undefined("an access to a variable that is gone"),
        Fault::Uninitialised => undefined(super::NOT_KNOWN),
        Fault::TooLarge => unsupported("an object of this size"),
    }
}

impl Worker {
    /// The phase of an access to what lives there.
    pub fn phase(&self, home: Home) -> Phase {
        let [shared, global] = self.phases;
        if matches!(home, Home::Shared(_)) { shared } else { global }
    }
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, inputs: &'p Inputs) -> Machine<'p> {
        Machine {
            program,
            inputs,
            code: FxHashMap::default(),
            memory: Memory::with_numbers(&inputs.flat),
            globals: FxHashMap::default(),
            shared: FxHashMap::default(),
            unit_shared: FxHashMap::default(),
            dynamic: FxHashMap::default(),
            accesses: Vec::new(),
            steps: inputs.steps,
            wrapped: false,
            watch: None,
            windows: Vec::new(),
        }
    }

    fn launch(&mut self, kernel: FunId, threads: &[Thread], params: &mut BTreeMap<String, i128>) -> End {
        if threads.is_empty() {
            return End::Stopped(Stop::Unsupported("a grid of this size".to_owned()));
        }
        let mut workers = match self.start(kernel, threads, params) {
            Ok(workers) => workers,
            Err(stop) => return End::Stopped(stop),
        };
        let mut order: Vec<usize> = (0..workers.len()).collect();
        match self.inputs.seed % 3 {
            0 => {}
            1 => order.reverse(),
            _ => order.sort_by_key(|i| mix(self.inputs.seed ^ *i as u64)),
        }
        loop {
            for i in &order {
                let Some(worker) = workers.get_mut(*i) else { continue };
                while let Status::Ready = worker.status {
                    if let Err(stop) = self.step(worker) {
                        return End::Stopped(stop);
                    }
                }
            }
            if workers.iter().all(|w| matches!(w.status, Status::Done)) {
                return End::Finished;
            }
            if !release(&mut workers, Some(Scope::Grid), self.inputs) {
                return stuck(&workers);
            }
        }
    }

    /// The threads at the begin of the kernel, with its parameters.
    pub fn start(
        &mut self,
        kernel: FunId,
        threads: &[Thread],
        params: &mut BTreeMap<String, i128>,
    ) -> Result<Vec<Worker>, Stop> {
        let function = self.function(kernel)?;
        let mut given: Vec<Vec<Option<u8>>> = Vec::new();
        let mut addresses = FxHashMap::default();
        for decl in function.vars.iter().take(function.params) {
            if decl.ty.has_unknown_size() {
                return unsupported(format!("a parameter of type `{}`", decl.ty));
            }
            given.push(self.parameter(&decl.name, &decl.ty, params, &mut addresses)?);
        }
        let mut workers = Vec::new();
        let mut of_blocks: FxHashMap<(u32, usize), Vec<Option<u8>>> = FxHashMap::default();
        for (i, place) in threads.iter().enumerate() {
            let mut frame = self.frame(function, kernel);
            let decls = function.vars.iter().zip(frame.vars.iter_mut().zip(&given));
            for (number, (decl, (var, bytes))) in decls.enumerate() {
                let id = self.memory.plain(&decl.name, Home::Thread(i as u32), &decl.ty).or_else(fault)?;
                let own = match (decl.points_to, &decl.ty) {
                    (Storage::Shared, Type::Ptr(elem)) => match of_blocks.entry((place.block_id, number)) {
                        Entry::Occupied(known) => Some(known.into_mut()),
                        Entry::Vacant(new) => Some(new.insert(self.local_parameter(decl, elem, place.block_id)?)),
                    },
                    _ => None,
                };
                self.memory.write(id, 0, own.map_or(bytes, |own| own));
                *var = Some(id);
            }
            workers.push(Worker {
                number: i as u32,
                place: *place,
                frames: vec![frame],
                status: Status::Ready,
                phases: Default::default(),
                quiet: false,
                copies: Copies::default(),
            });
        }
        Ok(workers)
    }

    /// The bytes of a parameter: random numbers, and an array for each pointer.
    fn parameter(
        &mut self,
        name: &Name,
        ty: &Type,
        params: &mut BTreeMap<String, i128>,
        addresses: &mut FxHashMap<String, i128>,
    ) -> Result<Vec<Option<u8>>, Stop> {
        let mut leaves = Vec::new();
        if scalars(ty, 0, &mut leaves).is_none() {
            return unsupported("a parameter of this size");
        }
        let single = leaves.len() == 1 && !matches!(ty, Type::Struct(_) | Type::Array(..));
        let mut bytes = vec![Some(0); ty.size() as usize];
        for (offset, leaf) in leaves {
            let part = if single { name.to_string() } else { part_name(ty, name.as_str(), offset) };
            let random = mix(self.inputs.seed ^ part.bytes().fold(3, |h, b| mix(h ^ u64::from(b))));
            let value = match &leaf {
                Type::Int(_) | Type::Float(_) if self.inputs.unknown.contains(&part) => {
                    vec![None; usize::try_from(leaf.size()).unwrap_or(0)]
                }
                Type::Ptr(target) | Type::Ref(target) if **target != Type::Fun => {
                    let elem = if **target == Type::Void { Type::Int(IntTy::U8) } else { (**target).clone() };
                    if elem.has_unknown_size() {
                        return unsupported(format!("a pointer to `{elem}`"));
                    }
                    let address = match self.inputs.same.get(&part).and_then(|other| addresses.get(other)) {
                        Some(address) => *address,
                        None => {
                            let count = self.extent(&elem);
                            let id = self.fill(&Name::new(&part), Home::Global, &elem, count)?;
                            self.memory.leave_open(id);
                            Memory::address(id)
                        }
                    };
                    addresses.insert(part, address);
                    encode(&leaf, &Value::Int(address))?
                }
                Type::Int(int) => {
                    let value = match self.inputs.params.get(&part) {
                        Some(value) => int.wrap(*value),
                        None if self.inputs.zeros => 0,
                        // One of several scales: a bound of a loop, a size, anything.
                        None => int.wrap(match random % 8 {
                            0 => small(random),
                            1 => i128::from(random >> 8) % 100,
                            _ => i128::from(random >> 8) % 20,
                        }),
                    };
                    params.insert(part, value);
                    int_bytes(*int, value).into_iter().map(Some).collect()
                }
                // No function: nobody can call it.
                Type::Ptr(_) if self.inputs.exact => encode(&leaf, &Value::Int(0))?,
                Type::Float(_) if self.inputs.zeros => {
                    encode(&leaf, &Value::Float(self.inputs.floats.get(&part).copied().unwrap_or(0.0)))?
                }
                Type::Float(_) => encode(&leaf, &Value::Float((small(random) as f64) / 2.0))?,
                _ if self.inputs.exact => vec![None; usize::try_from(leaf.size()).unwrap_or(0)],
                other => return unsupported(format!("a parameter of type `{other}`")),
            };
            for (cell, byte) in bytes.iter_mut().skip(offset as usize).zip(value) {
                *cell = byte;
            }
        }
        Ok(bytes)
    }

    /// The bytes of a pointer parameter whose array each block has for itself.
    fn local_parameter(&mut self, decl: &VarDecl, elem: &Type, block: u32) -> Result<Vec<Option<u8>>, Stop> {
        let elem = if *elem == Type::Void { &Type::Int(IntTy::U8) } else { elem };
        let count = self.extent(elem);
        let id = self.fill(&decl.name, Home::Shared(block), elem, count)?;
        self.memory.leave_open(id);
        encode(&decl.ty, &Value::Int(Memory::address(id)))
    }

    fn function(&self, id: FunId) -> Result<&'p Function, Stop> {
        match self.program.functions.get(id.0 as usize) {
            Some(function) => Ok(function),
            None => unsupported("a function that is not there"),
        }
    }

    fn frame(&mut self, function: &Function, id: FunId) -> Frame {
        let code = self.code.entry(id).or_insert_with(|| Rc::new(compile(function))).clone();
        Frame {
            function: id,
            code,
            pc: 0,
            vars: vec![None; function.vars.len()],
            temporaries: Vec::new(),
            stack: Vec::new(),
            holes: Vec::new(),
        }
    }

    // ---- objects ----

    fn variable(&mut self, frame: &mut Frame, var: VarId, thread: u32, block: u32) -> Result<ObjectId, Stop> {
        let at = var.0 as usize;
        if let Some(Some(id)) = frame.vars.get(at) {
            return Ok(*id);
        }
        let Some(decl) = self.function(frame.function)?.vars.get(at) else { return unsupported("a variable") };
        let id = if decl.storage == Storage::Shared {
            let first = self.program.first_of.get(&frame.function).copied().unwrap_or(frame.function);
            let key = (block, first, decl.span);
            match (self.shared.get(&key), &decl.ty) {
                (Some(id), _) => *id,
                (None, Type::Array(elem, None)) if decl.of_launch => self.dynamic_shared(block, &decl.name, elem)?,
                (None, ty) => {
                    let id = self.shared_object(&decl.name, ty, block)?;
                    self.shared.insert(key, id);
                    id
                }
            }
        } else {
            self.memory.plain(&decl.name, Home::Thread(thread), &decl.ty).or_else(fault)?
        };
        if let Some(place) = frame.vars.get_mut(at) {
            *place = Some(id);
        }
        Ok(id)
    }

    fn shared_object(&mut self, name: &Name, ty: &Type, block: u32) -> Result<ObjectId, Stop> {
        if ty.has_unknown_size() {
            return unsupported(format!("a variable of type `{ty}`"));
        }
        // By its elements: those of an array of many are filled as they are needed.
        let (mut elem, mut count) = (ty, 1u64);
        while let (Type::Array(inner, Some(n)), true) = (elem, self.inputs.exact) {
            (elem, count) = (&**inner, count.saturating_mul(*n));
        }
        self.fill(name, Home::Shared(block), elem, count).or_else(|_| {
            // Too many parts to fill: not initialised.
            self.memory.plain(name, Home::Shared(block), ty).or_else(fault)
        })
    }

    /// Elements of an array of unknown size: in a replay, as many as there can be.
    fn extent(&self, elem: &Type) -> u64 {
        if self.inputs.exact { EVERYTHING / elem.size().max(1) } else { self.inputs.extent }
    }

    /// An object with its first contents: those that are given, and otherwise zeros or random ones.
    fn fill(&mut self, name: &Name, home: Home, elem: &Type, count: u64) -> Result<ObjectId, Stop> {
        let first = match home {
            Home::Shared(_) if self.inputs.uninitialised => First::Nothing,
            _ if self.inputs.zeros => First::Zeros,
            _ if !self.inputs.flat.is_empty() => match self.inputs.seed.checked_sub(EACH) {
                Some(at) => First::Number(at),
                None => First::Flat(self.inputs.seed),
            },
            Home::Shared(block) => First::Random(mix(self.inputs.seed ^ u64::from(block))),
            Home::Global | Home::Constant | Home::Thread(_) => First::Random(self.inputs.seed),
        };
        let id = self.memory.filled(name, home, elem, count, first).or_else(fault)?;
        if matches!(home, Home::Global | Home::Constant) {
            for cell in self.inputs.cells.iter().filter(|cell| cell.array == *name) {
                self.memory.put(id, cell.at, cell.ty, cell.value);
            }
        }
        Ok(id)
    }

    fn dynamic_shared(&mut self, block: u32, name: &Name, elem: &Type) -> Result<ObjectId, Stop> {
        if let Some(id) = self.dynamic.get(&block) {
            return Ok(*id);
        }
        if elem.has_unknown_size() {
            return unsupported(format!("a variable of type `{elem}`"));
        }
        let count = self.inputs.dynamic / elem.size().max(1);
        let id = self.fill(name, Home::Shared(block), elem, count)?;
        self.memory.leave_open(id);
        self.dynamic.insert(block, id);
        Ok(id)
    }

    fn global(&mut self, id: GlobalId, block: u32) -> Result<ObjectId, Stop> {
        let Some(global) = self.program.globals.get(id.0 as usize) else { return unsupported("a global variable") };
        let decl = &global.decl;
        if decl.ty.has_unknown_size() {
            return unsupported(format!("a variable of type `{}`", decl.ty));
        }
        if decl.storage == Storage::Shared {
            if let (Type::Array(elem, None), true) = (&decl.ty, decl.of_launch) {
                return self.dynamic_shared(block, &decl.name, elem);
            }
            if let Some(object) = self.unit_shared.get(&(block, id)) {
                return Ok(*object);
            }
            let object = self.shared_object(&decl.name, &decl.ty, block)?;
            self.unit_shared.insert((block, id), object);
            return Ok(object);
        }
        if let Some(object) = self.globals.get(&id) {
            return Ok(*object);
        }
        let home = if decl.storage == Storage::Constant { Home::Constant } else { Home::Global };
        let (elem, count) = match &decl.ty {
            Type::Array(elem, None) => ((**elem).clone(), self.extent(elem)),
            Type::Array(elem, Some(n)) => ((**elem).clone(), *n),
            ty => (ty.clone(), 1),
        };
        let given = global.init.as_ref().and_then(|init| constant_bytes(init, &elem, count));
        // What an initialiser that is not understood gives is not known.
        let unclear = self.inputs.exact && global.initialised && given.is_none();
        let object = match unclear || self.inputs.unknown.contains(decl.name.as_str()) {
            true => self.memory.filled(&decl.name, home, &elem, count, First::Nothing).or_else(fault)?,
            false => self.fill(&decl.name, home, &elem, count)?,
        };
        if matches!(decl.ty, Type::Array(_, None)) {
            self.memory.leave_open(object);
        }
        if let Some(bytes) = given {
            self.memory.give(object, &bytes);
        }
        if let Some(bytes) = filled_bytes(global) {
            self.memory.give(object, &bytes);
        }
        self.globals.insert(id, object);
        Ok(object)
    }

    // ---- memory ----

    pub(super) fn log(&mut self, worker: &Worker, access: Access) -> Result<(), Stop> {
        if worker.quiet {
            return Ok(());
        }
        if let Some(watch) = &mut self.watch {
            watch.see(worker, access);
            return Ok(());
        }
        if self.accesses.len() >= self.inputs.log {
            return Err(Stop::OutOfBudget);
        }
        self.accesses.push(access);
        Ok(())
    }

    /// Finds bytes, and notes the access when other threads can see them.
    pub(super) fn touch(
        &mut self,
        worker: &Worker,
        address: i128,
        kind: Kind,
        value: &[Option<u8>],
        length: u64,
        span: Span,
    ) -> Result<(ObjectId, u64), Stop> {
        let (object, start) = self.memory.locate(address, length).or_else(fault)?;
        match self.memory.get(object).map(|o| o.home) {
            // Nothing is touched by a copy of no bytes.
            _ if length == 0 => Ok((object, start)),
            Some(Home::Thread(owner)) if owner != worker.number => unsupported("a variable of another thread"),
            Some(Home::Constant) if kind != Kind::Read => undefined("constant memory is written"),
            Some(home @ (Home::Shared(_) | Home::Global)) => {
                if self.watch.as_ref().is_some_and(|watch| !watch.looks_at(worker, span)) {
                    return Ok((object, start));
                }
                let (thread, phase, value) = (worker.number, worker.phase(home), value.to_vec());
                self.log(worker, Access { thread, phase, object, start, length, kind, value, span })?;
                Ok((object, start))
            }
            Some(Home::Thread(_) | Home::Constant) => Ok((object, start)),
            None => fault(Fault::OutOfBounds),
        }
    }

    fn load(&mut self, worker: &Worker, address: i128, ty: &Type, span: Span) -> Result<Value, Stop> {
        if ty.has_unknown_size() {
            return unsupported(format!("a value of type `{ty}`"));
        }
        if let Ok((object, start)) = self.memory.locate(address, ty.size()) {
            self.aligned(object, start, ty)?;
        }
        let (object, start) = self.touch(worker, address, Kind::Read, &[], ty.size(), span)?;
        let value = match ty {
            Type::Struct(_) | Type::Array(..) => decode(ty, self.memory.read(object, start, ty.size())),
            _ => scalar(ty, self.memory.number(object, start, ty.size())),
        };
        self.perhaps(value)
    }

    /// In a replay, a value that cannot be had is one that is not known.
    fn perhaps(&self, value: Result<Value, Stop>) -> Result<Value, Stop> {
        match value {
            Err(why @ Stop::Unsupported(_)) if self.inputs.exact => Ok(Value::Unknown(why)),
            Err(why @ Stop::Undefined(_)) if self.inputs.exact && why == not_initialised() => Ok(Value::Unknown(why)),
            value => value,
        }
    }

    fn store(&mut self, worker: &Worker, address: i128, ty: &Type, value: &Value, span: Span) -> Result<(), Stop> {
        if ty.has_unknown_size() {
            return unsupported(format!("a value of type `{ty}`"));
        }
        let bytes = encode(ty, value)?;
        let place = self.memory.locate(address, bytes.len() as u64);
        if let Ok((object, start)) = place {
            self.aligned(object, start, ty)?;
        }
        let (object, start) = self.touch(worker, address, Kind::Write, &bytes, bytes.len() as u64, span)?;
        self.memory.write(object, start, &bytes);
        Ok(())
    }

    /// In a replay, an access to a vector that cannot be aligned as others of the object are ends the run. [WIT-ALIGN]
    fn aligned(&mut self, object: ObjectId, start: u64, ty: &Type) -> Result<(), Stop> {
        let vector = |class: &StructTy| {
            let number = |f: &Field| matches!(f.ty, Type::Int(_) | Type::Float(_)) && f.ty.size() < class.align;
            class.align == class.size && class.size > 4 && class.fields.iter().all(number)
        };
        match ty {
            Type::Struct(class)
                if self.inputs.exact && vector(class) && !self.memory.align(object, start, class.align) =>
            {
                undefined(super::MISALIGNED)
            }
            _ => Ok(()),
        }
    }

    // ---- steps ----

    pub fn step(&mut self, worker: &mut Worker) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::OutOfBudget)?;
        self.go_on(worker)?;
        let Some(mut frame) = worker.frames.pop() else {
            worker.status = Status::Done;
            return Ok(());
        };
        let code = Rc::clone(&frame.code);
        let at = frame.pc;
        let found = code.ops.get(at).zip(code.spans.get(at).copied());
        let Some((op, span)) = found else { return unsupported("code that is not there") };
        frame.pc += 1;
        match op {
            Op::Call(id, count) => {
                let args = take(&mut frame, *count)?;
                worker.frames.push(frame);
                self.call(worker, *id, args)
            }
            Op::CallValue(types) => {
                let args = take(&mut frame, types.len())?;
                let id = pop(&mut frame)?.int()? - FUNCTIONS;
                worker.frames.push(frame);
                match u32::try_from(id) {
                    Ok(id) => {
                        let args = self.converted(FunId(id), args, types)?;
                        self.call(worker, FunId(id), args)
                    }
                    Err(_) => undefined("a call of something that is no function"),
                }
            }
            Op::Return(gives) => {
                let value = if *gives { pop(&mut frame)? } else { Value::Int(0) };
                for id in frame.vars.iter().flatten().chain(&frame.temporaries) {
                    if self.memory.get(*id).is_some_and(|o| matches!(o.home, Home::Thread(_))) {
                        self.memory.end(*id);
                    }
                }
                match worker.frames.last_mut() {
                    Some(caller) => caller.stack.push(value),
                    None => worker.status = Status::Done,
                }
                Ok(())
            }
            Op::Barrier(scope) => {
                worker.frames.push(frame);
                wait(worker, *scope, ALL, span, None)
            }
            Op::MaskedBarrier(scope, mask) => {
                let missing = |lane: u32| 1i128.checked_shl(lane).is_none_or(|bit| mask & bit == 0);
                if (0..self.inputs.warp_size).any(missing) {
                    return unsupported("a barrier of some lanes of a warp");
                }
                worker.frames.push(frame);
                wait(worker, *scope, ALL, span, None)
            }
            Op::FencedBarrier => {
                // The flags of OpenCL C.
                let flags = pop(&mut frame)?.int()?;
                worker.frames.push(frame);
                wait(worker, Scope::Block, [flags & 1 != 0, flags & 2 != 0], span, None)
            }
            Op::BarrierReduce(name) => {
                let value = pop(&mut frame)?.truth()?;
                worker.frames.push(frame);
                wait(worker, Scope::Block, ALL, span, Some((name.clone(), value)))
            }
            Op::Exchange(exchange, count) => {
                let operands = take(&mut frame, *count)?;
                worker.frames.push(frame);
                offer(worker, exchange, operands);
                Ok(())
            }
            Op::PassBarrier => {
                let at = pop(&mut frame)?.int()?;
                frame.stack.push(Value::Int(0));
                self.touch(worker, at, Kind::Atomic(Scope::Block), &[], 8, span)?;
                worker.copies.pass(at);
                worker.frames.push(frame);
                wait(worker, Scope::Block, ALL, span, None)
            }
            op => {
                let result = self.simple(worker, &mut frame, op, span);
                worker.frames.push(frame);
                result
            }
        }
    }

    fn call(&mut self, worker: &mut Worker, id: FunId, args: Vec<Value>) -> Result<(), Stop> {
        if worker.frames.len() >= MAX_CALLS {
            return Err(Stop::OutOfBudget);
        }
        let function = self.function(id)?;
        if args.len() != function.params {
            return unsupported(format!("a call of `{}` with so many arguments", function.name));
        }
        let mut frame = self.frame(function, id);
        for (decl, (var, value)) in function.vars.iter().zip(frame.vars.iter_mut().zip(&args)) {
            let ty = stored(&decl.ty);
            if ty.has_unknown_size() {
                return unsupported(format!("a parameter of type `{ty}`"));
            }
            let bytes = encode(&ty, value)?;
            let object = self.memory.plain(&decl.name, Home::Thread(worker.number), &ty).or_else(fault)?;
            self.memory.write(object, 0, &bytes);
            *var = Some(object);
        }
        worker.frames.push(frame);
        Ok(())
    }

    /// Arguments of these types as what the parameters of a function are that is called by its address.
    fn converted(&self, id: FunId, args: Vec<Value>, types: &[Type]) -> Result<Vec<Value>, Stop> {
        let function = self.function(id)?;
        let of_parameters = function.vars.iter().map(|decl| &decl.ty);
        let each = args.into_iter().zip(types).zip(of_parameters).map(|((value, from), to)| match (from, to) {
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => convert(value, from, to),
            (Type::Ptr(from), Type::Ptr(to)) if from != to && matches!(**to, Type::Struct(_)) => {
                unsupported("a pointer to another class, given to a function pointer")
            }
            (_, Type::Ref(_)) => unsupported("a reference that is given to a function pointer"),
            _ => Ok(value),
        });
        each.collect()
    }

    /// An operation that neither calls nor waits.
    fn simple(&mut self, worker: &mut Worker, frame: &mut Frame, op: &Op, span: Span) -> Result<(), Stop> {
        let (block, thread) = (worker.place.block_id, worker.number);
        let result = match op {
            Op::Int(n) => Value::Int(*n),
            Op::Float(x) => Value::Float(*x),
            Op::Builtin(builtin) => Value::Int(self.builtin(&worker.place, *builtin)),
            Op::Function(id) => Value::Int(FUNCTIONS + i128::from(id.0)),
            Op::Var(var) => Value::Int(Memory::address(self.variable(frame, *var, thread, block)?)),
            Op::Global(id) => Value::Int(Memory::address(self.global(*id, block)?)),
            Op::Declare(var) => {
                let id = self.variable(frame, *var, thread, block)?;
                self.memory.renew(id);
                return Ok(());
            }
            Op::Temporary(ty) => {
                let value = pop(frame)?;
                let bytes = encode(ty, &value)?;
                let id = self.memory.plain(&Name::new("temporary"), Home::Thread(worker.number), ty).or_else(fault)?;
                self.memory.write(id, 0, &bytes);
                frame.temporaries.push(id);
                Value::Int(Memory::address(id))
            }
            Op::Load(ty) => {
                let address = pop(frame)?.int()?;
                self.load(worker, address, ty, span)?
            }
            Op::Store(ty) => {
                let address = pop(frame)?.int()?;
                let value = pop(frame)?;
                self.store(worker, address, ty, &value, span)?;
                value
            }
            Op::Update(ty, old) => {
                let value = pop(frame)?;
                let address = pop(frame)?.int()?;
                self.store(worker, address, ty, &value, span)?;
                let Some(before) = frame.holes.pop() else { return unsupported("an update") };
                if *old { before } else { value }
            }
            Op::StorePlace(ty) => {
                let address = pop(frame)?.int()?;
                let value = pop(frame)?;
                self.store(worker, address, ty, &value, span)?;
                Value::Int(address)
            }
            Op::UpdatePlace(ty) => {
                let value = pop(frame)?;
                let address = pop(frame)?.int()?;
                self.store(worker, address, ty, &value, span)?;
                frame.holes.pop();
                Value::Int(address)
            }
            Op::PushHole => {
                let value = pop(frame)?;
                frame.holes.push(value);
                return Ok(());
            }
            Op::Hole => match frame.holes.last() {
                Some(value) => value.clone(),
                None => return unsupported("an update"),
            },
            Op::Member(offset) => Value::Int(pop(frame)?.int()? + i128::from(*offset)),
            Op::Element(size, length, end) => {
                let index = pop(frame)?.int()?;
                let base = pop(frame)?.int()?;
                let most = length.map(|n| i128::from(n) - i128::from(!end && !self.memory.is_open(base)));
                if index < 0 || most.is_some_and(|most| index > most) {
                    return undefined(super::SUBSCRIPT);
                }
                Value::Int(base + index * i128::from(*size))
            }
            Op::Offset(size) => {
                let by = pop(frame)?.int()?;
                let base = pop(frame)?.int()?;
                let moved = base.saturating_add(by.saturating_mul(i128::from(*size)));
                if moved >> 40 != base >> 40 {
                    return undefined(super::AWAY);
                }
                Value::Int(moved)
            }
            Op::Distance(size) => {
                let r = pop(frame)?.int()?;
                let l = pop(frame)?.int()?;
                if l >> 40 != r >> 40 {
                    return undefined("the distance of pointers to different objects");
                }
                Value::Int((l - r) / i128::from((*size).max(1)))
            }
            Op::Arith(..) | Op::Least(_) | Op::Greatest(_) | Op::Compare(_) | Op::Not
                if let Some(why) = self.not_known(frame, op) =>
            {
                Value::Unknown(why)
            }
            Op::Arith(op, ty) => {
                let r = pop(frame)?.int()?;
                let l = pop(frame)?.int()?;
                let value = arithmetic(*op, *ty, l, r)?;
                self.wrapped |= wraps(*op, *ty, l, r, value);
                Value::Int(value)
            }
            Op::Least(ty) | Op::Greatest(ty) => {
                let least = matches!(op, Op::Least(_));
                let r = pop(frame)?.int()?;
                let l = pop(frame)?.int()?;
                let (l, r) = (ty.wrap(l), ty.wrap(r));
                Value::Int(if least { l.min(r) } else { l.max(r) })
            }
            Op::Compare(rel) => {
                let r = pop(frame)?.int()?;
                let l = pop(frame)?.int()?;
                Value::Int(i128::from(eval::compare(*rel, l, r)))
            }
            Op::Not => Value::Int(i128::from(!pop(frame)?.truth()?)),
            Op::Opaque(name, count, ty) => {
                let value = opaque(name.as_str(), &take(frame, *count)?, ty);
                self.perhaps(value)?
            }
            Op::Pure(name, count, ty) if self.inputs.exact => {
                let value = exact(name.as_str(), &take(frame, *count)?, ty);
                self.perhaps(value)?
            }
            Op::Pure(name, count, ty) => pure(name.as_str(), &take(frame, *count)?, ty)?,
            Op::Texel(count, ty) => {
                let value = texel(self.inputs, &take(frame, *count)?, ty);
                self.perhaps(value)?
            }
            Op::Convert(from, to) => {
                let value = convert(pop(frame)?, from, to);
                self.perhaps(value)?
            }
            Op::Aggregate(parts, size) => {
                let values = take(frame, parts.len())?;
                let mut bytes = vec![Some(0); usize::try_from((*size).min(1 << 20)).unwrap_or(0)];
                for ((at, ty), value) in parts.iter().zip(&values) {
                    let part = encode(ty, value)?;
                    for (cell, byte) in bytes.iter_mut().skip(*at as usize).zip(part) {
                        *cell = byte;
                    }
                }
                Value::Bytes(bytes)
            }
            Op::Duplicate => match frame.stack.last() {
                Some(value) => value.clone(),
                None => return unsupported("an empty stack"),
            },
            Op::Pop => {
                pop(frame)?;
                return Ok(());
            }
            Op::Jump(to) => {
                frame.pc = *to;
                return Ok(());
            }
            Op::JumpIf(to) => {
                if pop(frame)?.truth()? {
                    frame.pc = *to;
                }
                return Ok(());
            }
            Op::JumpIfNot(to) => {
                if !pop(frame)?.truth()? {
                    frame.pc = *to;
                }
                return Ok(());
            }
            Op::Atomic(name, scope, ty, count) => {
                let mut args = take(frame, *count)?;
                if args.is_empty() {
                    return unsupported("an atomic operation on nothing");
                }
                let address = args.remove(0).int()?;
                let kind = Kind::Atomic(*scope);
                let (object, start) = self.touch(worker, address, kind, &[], ty.size(), span)?;
                let bytes = self.memory.read(object, start, ty.size());
                let old = self.perhaps(decode(ty, bytes))?;
                let new = self.perhaps(atomic(name.as_str(), ty, &old, &args))?;
                self.memory.write(object, start, &encode(ty, &new)?);
                old
            }
            Op::MemCopy => {
                let (to, from, length) = three(frame)?;
                let (source, start) = self.touch(worker, from, Kind::Read, &[], length, span)?;
                let bytes = self.memory.read(source, start, length);
                let (target, start) = self.touch(worker, to, Kind::Write, &bytes, length, span)?;
                self.memory.write(target, start, &bytes);
                Value::Int(to)
            }
            Op::BeginCopy(copier, reads) => {
                let read = if *reads { Some(pop(frame)?.int()?) } else { None };
                let (to, from, written) = three(frame)?;
                let read = read.and_then(|n| u64::try_from(n).ok()).unwrap_or(written).min(written);
                self.begin_copy(worker, *copier, None, [to, from], [written, read], span)?;
                Value::Int(0)
            }
            Op::BeginCopyUntil(copier) => {
                let barrier = pop(frame)?.int()?;
                let (to, from, length) = three(frame)?;
                self.begin_copy(worker, *copier, Some(barrier), [to, from], [length, length], span)?;
                Value::Int(0)
            }
            Op::MakeBarrier => {
                pop(frame)?;
                let at = pop(frame)?.int()?;
                let made = [Some(0); 8];
                let (object, start) = self.touch(worker, at, Kind::Write, &made, 8, span)?;
                self.memory.write(object, start, &made);
                Value::Int(0)
            }
            Op::CloseBatch => {
                worker.copies.close();
                Value::Int(0)
            }
            Op::WaitForBatches => {
                worker.copies.wait(pop(frame)?.int()?);
                Value::Int(0)
            }
            Op::SharedAddress => Value::Int(self.shared_address(pop(frame)?.int()?)?),
            Op::FromSharedAddress => Value::Int(self.place_of_shared_address(pop(frame)?.int()?)?),
            Op::MemSet => {
                let (to, byte, length) = three(frame)?;
                let bytes = vec![Some(byte as u8); length as usize];
                let (target, start) = self.touch(worker, to, Kind::Write, &bytes, length, span)?;
                self.memory.write(target, start, &bytes);
                Value::Int(to)
            }
            Op::Quiet(on) => {
                worker.quiet = *on;
                return Ok(());
            }
            Op::Assume => {
                worker.quiet = false;
                if !pop(frame)?.truth()? {
                    return undefined(super::ASSUMPTION);
                }
                return Ok(());
            }
            Op::Trap => return undefined(super::TRAP),
            Op::Disturb(ty) => {
                let address = pop(frame)?.int()?;
                let (object, start) = self.touch(worker, address, Kind::Read, &[], ty.size(), span)?;
                let bytes = vec![None; usize::try_from(ty.size()).unwrap_or(0)];
                self.touch(worker, address, Kind::Write, &bytes, ty.size(), span)?;
                self.memory.write(object, start, &bytes);
                Value::Int(0)
            }
            Op::Outputs(name, types) => {
                let operands = take(frame, types.len())?;
                let results = outputs(name.as_str(), &operands);
                let pointers = operands.iter().zip(types).filter_map(|(value, ty)| Some((value, ty.as_ref()?)));
                for (i, (pointer, ty)) in pointers.enumerate() {
                    let unknown = || Value::Unknown(Stop::Unsupported(format!("`{name}`")));
                    let value = results.get(i).copied().map_or_else(unknown, Value::Float);
                    self.store(worker, pointer.int()?, ty, &value, span)?;
                }
                self.perhaps(unsupported(format!("`{name}`")))?
            }
            Op::Unknown(text) => self.perhaps(unsupported(text.clone()))?,
            Op::Unsupported(text) => return unsupported(text.clone()),
            Op::Call(..)
            | Op::CallValue(_)
            | Op::Return(_)
            | Op::Barrier(_)
            | Op::MaskedBarrier(..)
            | Op::FencedBarrier
            | Op::BarrierReduce(_)
            | Op::Exchange(..)
            | Op::PassBarrier => {
                return unsupported("a call within an operation");
            }
        };
        frame.stack.push(result);
        Ok(())
    }

    /// Takes the operands of an operation on integers, if one is not known; what may be a division by zero needs to be.
    fn not_known(&self, frame: &mut Frame, op: &Op) -> Option<Stop> {
        let count = if matches!(op, Op::Not) { 1 } else { 2 };
        let operands = frame.stack.get(frame.stack.len().checked_sub(count)?..)?;
        let why = operands.iter().find_map(|v| if let Value::Unknown(why) = v { Some(why.clone()) } else { None })?;
        let divides = matches!(op, Op::Arith(NBin::Div | NBin::Rem, _));
        if divides && !matches!(operands.last(), Some(Value::Int(n)) if *n != 0) {
            return None;
        }
        take(frame, count).ok()?;
        Some(why)
    }

    fn builtin(&self, place: &Thread, builtin: Builtin) -> i128 {
        let at = |list: [u32; 3], axis: u8| i128::from(list.get(usize::from(axis)).copied().unwrap_or(0));
        match builtin {
            Builtin::ThreadIdx(axis) => at(place.thread, axis),
            Builtin::BlockIdx(axis) => at(place.block, axis),
            Builtin::BlockDim(axis) => at(self.inputs.block, axis),
            Builtin::GridDim(axis) => at(self.inputs.grid, axis),
            Builtin::WarpSize => i128::from(self.inputs.warp_size),
            Builtin::LinearThread => {
                let row = at(place.thread, 1) + at(self.inputs.block, 1) * at(place.thread, 2);
                at(place.thread, 0) + at(self.inputs.block, 0) * row
            }
            Builtin::BlockSize => (0..3).map(|axis| at(self.inputs.block, axis)).product(),
            Builtin::LinearBlock => {
                let row = at(place.block, 1) + at(self.inputs.grid, 1) * at(place.block, 2);
                at(place.block, 0) + at(self.inputs.grid, 0) * row
            }
            Builtin::GridSize => (0..3).map(|axis| at(self.inputs.grid, axis)).product(),
        }
    }
}

/// Does unsigned arithmetic give something else than the mathematical result?
fn wraps(op: NBin, ty: IntTy, l: i128, r: i128, value: i128) -> bool {
    let exact = match op {
        NBin::Add => l.checked_add(r),
        NBin::Sub => l.checked_sub(r),
        NBin::Mul => l.checked_mul(r),
        NBin::Shl => Some(eval::apply(op, IntTy::MATH, l, r)),
        _ => return false,
    };
    !ty.signed && exact != Some(value)
}

fn pop(frame: &mut Frame) -> Result<Value, Stop> {
    frame.stack.pop().map_or_else(|| unsupported("an empty stack"), Ok)
}

/// The last values of the stack, in their order.
fn take(frame: &mut Frame, count: usize) -> Result<Vec<Value>, Stop> {
    match frame.stack.len().checked_sub(count) {
        Some(at) => Ok(frame.stack.split_off(at)),
        None => unsupported("an empty stack"),
    }
}

fn three(frame: &mut Frame) -> Result<(i128, i128, u64), Stop> {
    let length = pop(frame)?.int()?;
    let second = pop(frame)?.int()?;
    let first = pop(frame)?.int()?;
    match u64::try_from(length) {
        Ok(length) if length <= 1 << 16 => Ok((first, second, length)),
        _ => unsupported("a copy of this length"),
    }
}

/// `s.x`, `s.v.y`, `a[2]`: the name of the scalar part at an offset.
fn part_name(ty: &Type, name: &str, offset: u64) -> String {
    match ty {
        Type::Struct(s) => {
            let inside = |o: u64, t: &Type| offset >= o && offset < o + t.size();
            match s.fields.iter().find(|f| inside(f.offset, &f.ty)) {
                Some(f) => part_name(&f.ty, &format!("{name}.{}", f.name), offset - f.offset),
                None => format!("{name}+{offset}"),
            }
        }
        Type::Array(elem, _) if elem.size() > 0 => {
            let i = offset / elem.size();
            part_name(elem, &format!("{name}[{i}]"), offset % elem.size())
        }
        _ => name.to_owned(),
    }
}

/// What the host copies to a variable.
fn filled_bytes(global: &Global) -> Option<Vec<Option<u8>>> {
    let last = global.filled.keys().last()?;
    let mut all = vec![None; usize::try_from(*last).ok()? + 8];
    for (at, n) in &global.filled {
        let Some(Type::Int(int)) = part_type(&global.decl.ty, *at) else { continue };
        for (place, byte) in all.iter_mut().skip(*at as usize).zip(int_bytes(*int, *n)) {
            *place = Some(byte);
        }
    }
    all.truncate(usize::try_from(global.decl.ty.size()).ok()?);
    Some(all)
}

/// The type of the number at a place in an object.
fn part_type(ty: &Type, at: u64) -> Option<&Type> {
    match ty {
        Type::Array(elem, _) if elem.size() > 0 => part_type(elem, at % elem.size()),
        Type::Struct(class) => {
            let field = class.fields.iter().rev().find(|f| f.offset <= at)?;
            part_type(&field.ty, at - field.offset)
        }
        ty => Some(ty).filter(|_| at == 0),
    }
}

/// What an initialiser gives so many integers: what it does not list is zero.
fn constant_bytes(init: &Expr, elem: &Type, count: u64) -> Option<Vec<Option<u8>>> {
    /// Larger tables are not given.
    const MOST: u64 = 1 << 16;
    let Type::Int(int) = elem else { return None };
    let one = |part: &Expr| match &part.kind {
        ExprKind::Int(value) => Some(int_bytes(*int, *value)),
        ExprKind::Convert(inner) => match inner.kind {
            ExprKind::Int(value) => Some(int_bytes(*int, value)),
            _ => None,
        },
        _ => None,
    };
    let size = elem.size().saturating_mul(count);
    let ExprKind::Aggregate(parts) = &init.kind else {
        return one(init).map(|bytes| bytes.into_iter().map(Some).collect());
    };
    if size > MOST {
        return None;
    }
    let mut all = vec![Some(0); size as usize];
    for (at, part) in parts {
        for (place, byte) in all.iter_mut().skip(*at as usize).zip(one(part)?) {
            *place = Some(byte);
        }
    }
    Some(all)
}
