//! Memory by bytes: objects, each with an extent, that are made and filled as they are needed.
//!
//! An address is a number: the object in the high bits, the offset in the low ones. Address 0 is null.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::half::half_bits;
use crate::base::Name;
use crate::exp::IntTy;
use crate::kernel::floats::of_identity;
use crate::kernel::types::Type;

/// An object, by position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

const OFFSET_BITS: u32 = 40;
/// No object whose bytes are all there is larger.
const MAX_SIZE: u64 = 1 << 20;
/// Nor one that is filled as it is needed, nor its elements.
const MAX_FILLED: u64 = 1 << (OFFSET_BITS - 1);
const MAX_ELEMENT: u64 = 1 << 18;
/// Elements that are filled at a time.
const CHUNK: u64 = 32;

/// Whose memory an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Thread(u32),
    /// Of one block.
    Shared(u32),
    Global,
    Constant,
}

/// What is in an object at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// It is not initialised.
    Nothing,
    Zeros,
    /// Random numbers, by a seed.
    Random(u64),
    /// Random ones of the numbers of the memory, the same in all elements.
    Flat(u64),
    /// One of the numbers of the memory, the same everywhere.
    Number(u64),
}

/// First contents, element by element.
struct Filler {
    first: First,
    stride: u64,
    /// The scalar parts of an element, by offset.
    leaves: Vec<(u64, Type)>,
    flat: Rc<[f64]>,
}

pub struct Object {
    pub name: Name,
    pub home: Home,
    pub ty: Type,
    pub size: u64,
    /// Did the program say what is in it at first?
    given: bool,
    /// Is its size any that is large enough? Nothing in the program says it.
    pub open: bool,
    /// Is it beyond its life?
    pub dead: bool,
    /// Where it begins, in units of so many bytes and beyond, as far as accesses that need to be aligned say.
    begins: (u64, u64),
    /// Without a filler: all bytes; `None` is not initialised.
    bytes: Vec<Option<u8>>,
    filler: Option<Filler>,
    chunks: FxHashMap<u64, Vec<Option<u8>>>,
}

#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
    /// Numbers for contents that are the same in all elements.
    flat: Rc<[f64]>,
}

/// Why bytes cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Null,
    OutOfBounds,
    /// Beyond an object whose size the program says.
    OutOfArray,
    Dead,
    Uninitialised,
    TooLarge,
}

/// splitmix64: the same numbers on every machine.
pub fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let a = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ (b >> 31)
}

/// A random number that is mostly small and not negative, so that what depends on it collides.
pub fn small(random: u64) -> i128 {
    let value = i128::from(random >> 32);
    match random % 32 {
        0 => value % 1024,
        1 => -(value % 4),
        2..=9 => value % 64,
        10..=16 => value % 2,
        _ => value % 8,
    }
}

impl Memory {
    pub fn with_numbers(flat: &[f64]) -> Memory {
        Memory { objects: Vec::new(), flat: flat.into() }
    }

    /// An object without contents.
    pub fn plain(&mut self, name: &Name, home: Home, ty: &Type) -> Result<ObjectId, Fault> {
        let size = ty.size();
        if size > MAX_SIZE {
            return Err(Fault::TooLarge);
        }
        let bytes = vec![None; size as usize];
        Ok(self.push(name, home, ty, size, bytes, None))
    }

    /// An object that is filled as it is needed: so many elements of a type.
    pub fn filled(
        &mut self,
        name: &Name,
        home: Home,
        elem: &Type,
        count: u64,
        first: First,
    ) -> Result<ObjectId, Fault> {
        let mut leaves = Vec::new();
        scalars(elem, 0, &mut leaves).ok_or(Fault::TooLarge)?;
        let stride = elem.size().max(1);
        let size = stride.saturating_mul(count);
        if size > MAX_FILLED || stride > MAX_ELEMENT {
            return Err(Fault::TooLarge);
        }
        let own = |seed: u64| mix(seed ^ mix(name.as_str().bytes().fold(7, |h, b| mix(h ^ u64::from(b)))));
        let first = match first {
            First::Random(seed) => First::Random(own(seed)),
            First::Flat(seed) => First::Flat(own(seed)),
            First::Nothing | First::Zeros | First::Number(_) => first,
        };
        let flat = Rc::clone(&self.flat);
        Ok(self.push(name, home, elem, size, Vec::new(), Some(Filler { first, stride, leaves, flat })))
    }

    fn push(
        &mut self,
        name: &Name,
        home: Home,
        ty: &Type,
        size: u64,
        bytes: Vec<Option<u8>>,
        filler: Option<Filler>,
    ) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        // What has no elements is as large as it is used, and a variable of a thread that is no array has no subscripts.
        let open = size == 0 || matches!(home, Home::Thread(_)) && !matches!(ty, Type::Array(..));
        let (name, ty) = (name.clone(), ty.clone());
        self.objects.push(Object {
            name,
            home,
            ty,
            size,
            given: false,
            open,
            dead: false,
            begins: (1, 0),
            bytes,
            filler,
            chunks: FxHashMap::default(),
        });
        id
    }

    pub fn get(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.0 as usize)
    }

    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Nothing says how large an object is.
    pub fn leave_open(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.open = true;
        }
    }

    /// Is an address in an object of which nothing says how large it is?
    pub fn is_open(&self, address: i128) -> bool {
        let id = usize::try_from((address >> OFFSET_BITS) - 1).ok();
        id.and_then(|id| self.objects.get(id)).is_some_and(|object| object.open)
    }

    /// Starts the life of an object again.
    pub fn renew(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.bytes.iter_mut().for_each(|b| *b = None);
            object.dead = false;
        }
    }

    /// Ends the life of an object.
    pub fn end(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.dead = true;
        }
    }

    pub fn address(id: ObjectId) -> i128 {
        (i128::from(id.0) + 1) << OFFSET_BITS
    }

    /// The object and the offset of an address, for an access of so many bytes.
    pub fn locate(&self, address: i128, length: u64) -> Result<(ObjectId, u64), Fault> {
        if address == 0 {
            return Err(Fault::Null);
        }
        let id = u32::try_from((address >> OFFSET_BITS) - 1).map_err(|_| Fault::OutOfBounds)?;
        let offset = u64::try_from(address & ((1 << OFFSET_BITS) - 1)).map_err(|_| Fault::OutOfBounds)?;
        let object = self.objects.get(id as usize).ok_or(Fault::OutOfBounds)?;
        if object.dead {
            return Err(Fault::Dead);
        }
        if offset.checked_add(length).is_none_or(|end| end > object.size) {
            return Err(if object.open { Fault::OutOfBounds } else { Fault::OutOfArray });
        }
        Ok((ObjectId(id), offset))
    }

    /// May an access at an offset be aligned, with those before it? An object begins anywhere that its accesses allow.
    pub fn align(&mut self, id: ObjectId, offset: u64, align: u64) -> bool {
        let Some(object) = self.objects.get_mut(id.0 as usize) else { return true };
        let (unit, start) = object.begins;
        let fits = (start + offset).is_multiple_of(unit.min(align));
        if align > unit && fits {
            object.begins = (align, (align - offset % align) % align);
        }
        fits
    }

    pub fn read(&mut self, id: ObjectId, offset: u64, length: u64) -> Vec<Option<u8>> {
        let Some(object) = self.objects.get_mut(id.0 as usize) else { return Vec::new() };
        (offset..offset.saturating_add(length)).map(|at| object.byte(at).and_then(|b| *b)).collect()
    }

    /// Bytes as a number, the first one the lowest; `None` if one of them is not initialised.
    pub fn number(&mut self, id: ObjectId, offset: u64, length: u64) -> Option<i128> {
        let object = self.objects.get_mut(id.0 as usize)?;
        let mut at = offset..offset.saturating_add(length);
        at.try_rfold(0i128, |n, at| Some((n << 8) | i128::from((*object.byte(at)?)?)))
    }

    /// The random bytes that an object had at first; `None` where it had none.
    pub fn initial(&self, id: ObjectId, offset: u64, length: u64) -> Option<Vec<u8>> {
        let object = self.objects.get(id.0 as usize)?;
        let filler = object.filler.as_ref().filter(|_| !object.given)?;
        let span = filler.stride.saturating_mul(CHUNK);
        let end = offset.checked_add(length).filter(|end| *end <= object.size && length <= 16)?;
        (offset..end).map(|at| filler.chunk(at / span).get((at % span) as usize).copied().flatten()).collect()
    }

    /// Gives an object its contents.
    pub fn give(&mut self, id: ObjectId, bytes: &[Option<u8>]) {
        self.write(id, 0, bytes);
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.given = true;
        }
    }

    /// Puts a number where an object has a number of that size, or a floating-point one; elsewhere it is not put.
    pub fn put(&mut self, id: ObjectId, at: u64, ty: IntTy, value: i128) {
        let Some(filler) = self.objects.get(id.0 as usize).and_then(|o| o.filler.as_ref()) else { return };
        let inside = at % filler.stride;
        let Some((_, leaf)) = filler.leaves.iter().find(|(offset, _)| *offset == inside) else { return };
        // Which number it is, unless it is a constant, does not matter, as long as others are different.
        let number = || of_identity(value).unwrap_or((value % (1 << 20)) as f64);
        let bytes = match leaf {
            Type::Float(2 | 4 | 8) => encode_number(leaf, number()),
            Type::Int(_) if ty != IntTy::OPAQUE => int_bytes(ty, value),
            _ => return,
        };
        let bytes: Vec<Option<u8>> = bytes.into_iter().map(Some).collect();
        self.write(id, at, &bytes);
    }

    pub fn write(&mut self, id: ObjectId, offset: u64, bytes: &[Option<u8>]) {
        let Some(object) = self.objects.get_mut(id.0 as usize) else { return };
        for (at, byte) in (offset..).zip(bytes) {
            if let Some(cell) = object.byte(at) {
                *cell = *byte;
            }
        }
    }
}

impl Object {
    fn byte(&mut self, at: u64) -> Option<&mut Option<u8>> {
        let Some(filler) = &self.filler else { return self.bytes.get_mut(at as usize) };
        let span = filler.stride.saturating_mul(CHUNK);
        let (chunk, inside) = (at / span, at % span);
        self.chunks.entry(chunk).or_insert_with(|| filler.chunk(chunk)).get_mut(inside as usize)
    }
}

impl Filler {
    fn chunk(&self, chunk: u64) -> Vec<Option<u8>> {
        let mut bytes = vec![Some(0); self.stride.saturating_mul(CHUNK) as usize];
        let seed = match self.first {
            First::Nothing => return vec![None; bytes.len()],
            First::Zeros => return bytes,
            First::Random(seed) | First::Flat(seed) | First::Number(seed) => seed,
        };
        if let First::Flat(_) | First::Number(_) = self.first {
            for (at, cell) in bytes.iter_mut().enumerate() {
                let at = at as u64 % self.stride;
                let leaf = self.leaves.iter().enumerate().rfind(|(_, (offset, _))| *offset <= at);
                *cell = leaf.map(|(part, (offset, ty))| {
                    let number = match self.first {
                        First::Number(at) => self.flat.get(at as usize).copied().unwrap_or(0.0),
                        _ => pick(&self.flat, seed ^ part as u64),
                    };
                    encode_number(ty, number).get((at - offset) as usize).copied().unwrap_or(0)
                });
            }
            return bytes;
        }
        // Most arrays are of one style: all small, or any of those that `small` gives.
        let narrow = mix(seed) % 3;
        for i in 0..CHUNK {
            for (part, (offset, ty)) in self.leaves.iter().enumerate() {
                let random = mix(seed ^ mix(chunk.wrapping_mul(CHUNK).wrapping_add(i) ^ ((part as u64) << 48)));
                let value = match narrow {
                    0 => i128::from(random >> 40) % 4,
                    1 => i128::from(random >> 40) % 16,
                    _ => small(random),
                };
                let encoded = encode_scalar(ty, value);
                let at = (i * self.stride + offset) as usize;
                for (cell, byte) in bytes.iter_mut().skip(at).zip(encoded) {
                    *cell = Some(byte);
                }
            }
        }
        bytes
    }
}

/// A random one of some numbers.
pub fn pick(numbers: &[f64], seed: u64) -> f64 {
    let at = mix(seed) % (numbers.len() as u64).max(1);
    numbers.get(at as usize).copied().unwrap_or(0.0)
}

/// The bytes of a number in a scalar type; pointers are null.
pub fn encode_number(ty: &Type, number: f64) -> Vec<u8> {
    match ty {
        Type::Int(int) => int_bytes(*int, number as i128),
        Type::Float(2) => half_bits(number).to_le_bytes().to_vec(),
        Type::Float(4) => (number as f32).to_le_bytes().to_vec(),
        Type::Float(8) => number.to_le_bytes().to_vec(),
        other => vec![0; other.size().min(16) as usize],
    }
}

/// The bytes of a random number as a value of a scalar type; pointers are null.
fn encode_scalar(ty: &Type, value: i128) -> Vec<u8> {
    match ty {
        Type::Int(int) => int_bytes(*int, value),
        Type::Float(_) => encode_number(ty, value as f64 / 2.0),
        other => vec![0; other.size().min(16) as usize],
    }
}

/// The bytes of an integer in its type.
pub fn int_bytes(ty: IntTy, value: i128) -> Vec<u8> {
    let length = usize::from(ty.bits.max(8)) / 8;
    ty.wrap(value).to_le_bytes().into_iter().take(length).collect()
}

/// The scalar parts of a type by offset; members of unions overlap. `None` when there are too many.
pub fn scalars(ty: &Type, base: u64, out: &mut Vec<(u64, Type)>) -> Option<()> {
    if out.len() > 1024 {
        return None;
    }
    match ty {
        Type::Struct(s) => s.fields.iter().try_for_each(|f| scalars(&f.ty, base + f.offset, out)),
        Type::Array(elem, Some(n)) => (0..*n).try_for_each(|i| scalars(elem, base + i * elem.size(), out)),
        Type::Array(_, None) | Type::Void => Some(()),
        other => {
            out.push((base, other.clone()));
            Some(())
        }
    }
}
