//! What the threads of a warp, or of a tile of it, give each other: shuffles, votes and reductions. [WIT-EXCHANGE]
//!
//! All threads of the block that the mask names, or that the tile has, have to get there. It orders no memory.

use super::barriers::Status;
use super::machine::Worker;
use super::value::{Value, arithmetic};
use super::{Stop, unsupported};
use crate::exp::{IntTy, NBin};
use crate::kernel::ir::FunId;
use crate::kernel::types::Type;

/// Who takes part, and what is made of their values.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    pub what: What,
    /// Of a tile: its threads. Otherwise a mask is the first operand.
    pub tile: Option<u32>,
    /// Of the value.
    pub ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The value of a lane: that one, so many before or after, or by `^`.
    Lane,
    Before,
    After,
    Xor,
    Any,
    All,
    Ballot,
    Alike,
    Reduce(Combine),
    /// With those before this one; also with its own?
    Scan(Combine, bool),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    Add,
    Least,
    Greatest,
    And,
    Or,
    Xor,
}

/// A thread that waits for the others.
#[derive(Clone, PartialEq)]
pub(super) struct Offer {
    pub exchange: Exchange,
    pub operands: Vec<Value>,
    pub site: Vec<(FunId, usize)>,
}

/// Lets a thread wait for an exchange.
pub(super) fn offer(worker: &mut Worker, exchange: &Exchange, operands: Vec<Value>) {
    let site = worker.frames.iter().map(|f| (f.function, f.pc)).collect();
    worker.status = Status::Offers(Offer { exchange: exchange.clone(), operands, site });
}

/// The exchange of that name, where it is known: `__shfl_down_sync`, or `shfl_down` of a tile.
pub fn what(name: &str) -> Option<What> {
    let stem = name.trim_start_matches('_').trim_end_matches("_sync");
    Some(match stem {
        "shfl" => What::Lane,
        "shfl_up" => What::Before,
        "shfl_down" => What::After,
        "shfl_xor" => What::Xor,
        "any" => What::Any,
        "all" => What::All,
        "ballot" => What::Ballot,
        "match_any" => What::Alike,
        _ => What::Reduce(match stem.strip_prefix("reduce_")? {
            "add" => Combine::Add,
            "min" => Combine::Least,
            "max" => Combine::Greatest,
            "and" => Combine::And,
            "or" => Combine::Or,
            "xor" => Combine::Xor,
            _ => return None,
        }),
    })
}

/// What an object of the library of cooperative groups combines with: `plus`, `less`.
pub fn combine(operation: &str) -> Option<Combine> {
    let own = operation.split('<').next()?.trim();
    Some(match own.rsplit("::").next()? {
        "plus" => Combine::Add,
        "less" => Combine::Least,
        "greater" => Combine::Greatest,
        "bit_and" => Combine::And,
        "bit_or" => Combine::Or,
        "bit_xor" => Combine::Xor,
        _ => return None,
    })
}

/// One thread of an exchange.
struct Member {
    worker: usize,
    lane: i128,
    offer: Offer,
}

/// Lets those go on that wait for an exchange of which all threads are there. False when there are none.
pub(super) fn trade(workers: &mut [Worker], block: [u32; 3], warp_size: u32) -> bool {
    let number = |w: &Worker| {
        let [x, y, z] = w.place.thread;
        x + block[0] * (y + block[1] * z)
    };
    let mut traded = false;
    for first in 0..workers.len() {
        let Status::Offers(offer) = &workers[first].status else { continue };
        // By the number in the warp, and for a tile, which may have several warps, in the block.
        let tile = offer.exchange.tile.is_some();
        let lane = |w: &Worker| i128::from(if tile { number(w) } else { number(w) % warp_size.max(1) });
        let (offer, own, place) = (offer.clone(), lane(&workers[first]), workers[first].place);
        let in_block = |w: &Worker| w.place.block_id == place.block_id && (tile || w.place.warp == place.warp);
        let included = |lane: i128| match (offer.exchange.tile, offer.operands.first()) {
            (Some(tile), _) => lane / i128::from(tile) == own / i128::from(tile),
            (None, Some(Value::Int(mask))) => lane < 64 && (mask >> lane) & 1 == 1,
            (None, _) => false,
        };
        let mask = |o: &Offer| if tile { None } else { o.operands.first().cloned() };
        let together: Vec<usize> =
            (0..workers.len()).filter(|i| in_block(&workers[*i]) && included(lane(&workers[*i]))).collect();
        let same = |other: &Offer| other.site == offer.site && mask(other) == mask(&offer);
        let members: Vec<Member> = together
            .iter()
            .filter_map(|i| match &workers[*i].status {
                Status::Offers(o) if same(o) => Some(Member { worker: *i, lane: lane(&workers[*i]), offer: o.clone() }),
                _ => None,
            })
            .collect();
        if !included(own) || members.len() < together.len() {
            continue;
        }
        traded = true;
        let results: Vec<_> =
            members.iter().map(|m| (m.worker, value(m.lane, &m.offer, &members, warp_size))).collect();
        for (i, result) in results {
            let Some(worker) = workers.get_mut(i) else { continue };
            worker.status = match (result, worker.frames.last_mut()) {
                (Ok(value), Some(frame)) => {
                    frame.stack.push(value);
                    Status::Ready
                }
                (Err(stop), _) => Status::Parked(stop),
                (Ok(_), None) => Status::Done,
            };
        }
    }
    traded
}

/// What one of the threads gets.
fn value(lane: i128, own: &Offer, members: &[Member], warp_size: u32) -> Result<Value, Stop> {
    let operands =
        if own.exchange.tile.is_some() { own.operands.as_slice() } else { own.operands.get(1..).unwrap_or(&[]) };
    let skip = usize::from(own.exchange.tile.is_none());
    let theirs = |m: &Member| m.offer.operands.get(skip).cloned();
    let all: Vec<(i128, Value)> = members.iter().filter_map(|m| Some((m.lane, theirs(m)?))).collect();
    let Some(mine) = operands.first() else { return unsupported("an exchange of nothing") };
    let tile = own.exchange.tile.map(i128::from);
    let rank = |lane: i128| tile.map_or(lane, |tile| lane % tile);
    let flag = |holds: bool| Ok(Value::Int(i128::from(holds)));
    if matches!(own.exchange.what, What::Ballot | What::Alike) && all.iter().any(|(lane, _)| rank(*lane) >= 64) {
        return unsupported("a vote of so many threads");
    }
    let bits = |of: &dyn Fn(&Value) -> Result<bool, Stop>| {
        all.iter().try_fold(0i128, |bits, (lane, v)| Ok(bits | (i128::from(of(v)?) << rank(*lane)))).map(Value::Int)
    };
    match own.exchange.what {
        What::Lane | What::Before | What::After | What::Xor => {
            let by = match operands.get(1) {
                Some(by) => by.int()?,
                None => return unsupported("a shuffle from nowhere"),
            };
            let width = match (tile, operands.get(2)) {
                (Some(tile), _) => tile,
                (None, Some(width)) => width.int()?,
                (None, None) => i128::from(warp_size),
            };
            if width <= 0 || tile.is_none() && width > i128::from(warp_size) || width & (width - 1) != 0 {
                return unsupported("a shuffle of this width");
            }
            let start = lane - lane % width;
            let from = match own.exchange.what {
                What::Lane => start + by.rem_euclid(width),
                What::Before => lane.checked_sub(IntTy::U32.wrap(by)).filter(|from| *from >= start).unwrap_or(lane),
                What::After => Some(lane + IntTy::U32.wrap(by)).filter(|from| *from < start + width).unwrap_or(lane),
                _ => Some(lane ^ IntTy::U32.wrap(by)).filter(|from| *from < start + width).unwrap_or(lane),
            };
            let found = all.iter().find(|(lane, _)| *lane == from);
            let unknown =
                || Value::Unknown(Stop::Unsupported("the value of a lane that does not take part".to_owned()));
            Ok(found.map_or_else(unknown, |(_, value)| value.clone()))
        }
        What::Any => flag(all.iter().map(|(_, v)| v.truth()).collect::<Result<Vec<_>, _>>()?.contains(&true)),
        What::All => flag(!all.iter().map(|(_, v)| v.truth()).collect::<Result<Vec<_>, _>>()?.contains(&false)),
        What::Ballot => bits(&Value::truth),
        What::Alike => match all.iter().map(|(_, v)| v).find(|v| matches!(v, Value::Unknown(_))) {
            Some(unknown) => Ok((*unknown).clone()),
            None => bits(&|v| Ok(v == mine)),
        },
        What::Reduce(by) => combined(by, &own.exchange.ty, all.iter().map(|(_, v)| v)),
        What::Scan(by, also_own) => {
            let before = all.iter().filter(|(other, _)| *other < lane || also_own && *other == lane);
            combined(by, &own.exchange.ty, before.map(|(_, v)| v))
        }
    }
}

/// All values, combined; of none zero, which only a sum is.
fn combined<'v>(by: Combine, ty: &Type, values: impl Iterator<Item = &'v Value>) -> Result<Value, Stop> {
    let mut all: Option<Value> = None;
    for value in values {
        all = Some(match (all, value) {
            (Some(_), Value::Unknown(why)) => Value::Unknown(why.clone()),
            (Some(Value::Unknown(why)), _) => Value::Unknown(why),
            (None, value) => value.clone(),
            (Some(Value::Int(a)), Value::Int(b)) => {
                let Type::Int(ty) = ty else { return unsupported("these values combined") };
                Value::Int(match by {
                    Combine::Add => arithmetic(NBin::Add, *ty, a, *b)?,
                    Combine::Least => a.min(*b),
                    Combine::Greatest => a.max(*b),
                    Combine::And => a & b,
                    Combine::Or => a | b,
                    Combine::Xor => a ^ b,
                })
            }
            (Some(Value::Float(a)), Value::Float(b)) => {
                let sum = match by {
                    Combine::Add => a + b,
                    Combine::Least => a.min(*b),
                    Combine::Greatest => a.max(*b),
                    Combine::And | Combine::Or | Combine::Xor => return unsupported("these values combined"),
                };
                Value::Float(if *ty == Type::Float(4) { f64::from(sum as f32) } else { sum })
            }
            _ => return unsupported("these values combined"),
        });
    }
    match (all, by, ty) {
        (Some(value), ..) => Ok(value),
        (None, Combine::Add, Type::Float(_)) => Ok(Value::Float(0.0)),
        (None, Combine::Add | Combine::Or | Combine::Xor, _) => Ok(Value::Int(0)),
        (None, ..) => unsupported("what comes before the first"),
    }
}
