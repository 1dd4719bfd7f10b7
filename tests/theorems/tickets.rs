//! THM-TICKET: the results of atomic operations, in any order of any threads, fulfil what is taken to be known of them.

use std::collections::BTreeMap;

use faial_like::core::tickets;
use faial_like::exp::{B, Env, Fun, FunKind, IntTy, N, Order, Ticket, eval_b};
use faial_like::fuzz::Choices;

const ORDERS: [Order; 4] = [Order::Up, Order::Down, Order::Swap, Order::Compare];

/// One operation of a run: its arguments, and the content that it found.
struct Operation {
    args: [i128; 5],
    result: i128,
}

/// What the run may do besides the operations of its order.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    /// Somebody stores to a cell in the same time.
    Store,
    /// One operation has another operand than its argument says.
    Operand,
    /// Operations of one thread count as those of two.
    Thread,
    /// A thread stores to a cell of which it is said that nobody does.
    OwnStore,
}

/// Threads take turns in any order, each with operations on any of two cells.
fn run(order: Order, seed: u64, wrong: Wrong) -> Vec<Operation> {
    let mut choices = Choices::seeded(seed, 64);
    let mut cells = BTreeMap::new();
    let start = [choices.pick(7) as i128 - 3, choices.pick(7) as i128 - 3];
    // What operations replace is even, what they store instead is odd.
    let swapped = choices.pick(5) as i128;
    // All of the run, or a time in which a thread may store between its own operations.
    let whole = choices.pick(2) == 0 || wrong == Wrong::OwnStore;
    let time = if whole { tickets::WHOLE_RUN } else { 0 };
    let alone = !whole && wrong == Wrong::Nothing;
    let mut done: Vec<Operation> = Vec::new();
    for number in 0..6 {
        let (cell, thread) =
            (choices.pick(2) as i128, if alone || wrong == Wrong::OwnStore { 0 } else { choices.pick(4) as i128 });
        let content = *cells.entry(cell).or_insert(start[cell as usize]);
        let operand = match order {
            Order::Up | Order::Down | Order::Total => choices.pick(3) as i128,
            Order::Swap => swapped,
            Order::Compare => 2 * choices.pick(2) as i128,
        };
        let applied = operand - if wrong == Wrong::Operand && number == 2 { 3 } else { 0 };
        let next = match order {
            Order::Up | Order::Total => content + applied,
            Order::Down => content - applied,
            Order::Swap => applied,
            Order::Compare if content == applied => applied + if wrong == Wrong::Operand { 2 } else { 5 },
            Order::Compare => content,
        };
        cells.insert(cell, next);
        if wrong == Wrong::Store && choices.pick(3) == 0 {
            cells.insert(cell, start[cell as usize]);
        }
        if (alone || wrong == Wrong::OwnStore) && choices.pick(3) == 0 {
            cells.insert(cell, start[cell as usize]);
        }
        let named = if wrong == Wrong::Thread { number } else { thread };
        // A thread that stores in between is the same one: its own operations say nothing of each other.
        if wrong == Wrong::Thread && number % 2 == 1 {
            cells.insert(cell, content);
        }
        done.push(Operation { args: [operand, cell, time, named, number], result: content });
    }
    done
}

/// Do the facts about these operations hold?
fn fulfilled(order: Order, run: &[Operation]) -> bool {
    let kind = FunKind::Ticket(Ticket { order, cell: 2, thread: 1, bounded: false });
    let fun = Fun { name: "ticket".into(), ty: IntTy::I32, kind };
    let mentioned: Vec<B> =
        run.iter().map(|op| N::num(-1000).le(&N::call(fun.clone(), op.args.map(N::num).to_vec()))).collect();
    let table = |_: &Fun, args: &[i128]| run.iter().find(|op| op.args == *args).map(|op| op.result);
    let env = Env::with_functions(&table);
    let facts = tickets::facts(&mentioned);
    facts.iter().all(|fact| eval_b(fact, &env) == Ok(true))
}

#[test]
fn results_of_atomic_operations_fulfil_the_facts() {
    for order in ORDERS {
        for seed in 0..3_000 {
            assert!(fulfilled(order, &run(order, seed, Wrong::Nothing)), "{order:?}, seed {seed}");
        }
    }
}

#[test]
fn mutants_are_killed() {
    for order in ORDERS {
        for wrong in [Wrong::Store, Wrong::Operand, Wrong::Thread, Wrong::OwnStore] {
            let killed = (0..3_000).any(|seed| !fulfilled(order, &run(order, seed, wrong)));
            assert!(killed, "{order:?}");
        }
    }
}

/// What may go wrong with a counter that begins at a known number, and that no thread counts twice.
#[derive(Clone, Copy, PartialEq)]
enum Spoilt {
    Nothing,
    /// It begins elsewhere.
    Start,
    /// A thread counts twice.
    Twice,
    /// Somebody sets it back in between.
    Store,
    /// An operation that is not made passes as one that is.
    Made,
}

/// The results of operations that are made, in any order; the others have what is left over. The last one is the total.
fn counted(seed: u64, spoilt: Spoilt) -> (i128, Vec<(bool, i128)>) {
    let mut choices = Choices::seeded(seed, 64);
    let (start, threads) = (choices.pick(4) as i128, 1 + choices.pick(4));
    let mut content = start + i128::from(spoilt == Spoilt::Start);
    let mut left: Vec<usize> = (0..threads).collect();
    let mut made = vec![None; threads];
    while !left.is_empty() {
        let thread = left.remove(choices.pick(left.len()));
        if choices.pick(3) > 0 {
            made[thread] = Some(content);
            content += 1 + i128::from(spoilt == Spoilt::Twice);
        }
        if spoilt == Spoilt::Store && choices.pick(3) == 0 {
            content = start;
        }
    }
    let mut free = content;
    let mut results: Vec<(bool, i128)> = Vec::new();
    for result in made {
        results.push((result.is_some() || spoilt == Spoilt::Made, result.unwrap_or(free)));
        free += i128::from(result.is_none());
    }
    results.push((true, content));
    (start, results)
}

/// Do the facts about these operations, and about their total, hold?
fn bounded(seed: u64, spoilt: Spoilt) -> bool {
    let (start, results) = counted(seed, spoilt);
    let threads = results.len() as i128 - 1;
    let args = |number: usize| -> Vec<i128> {
        let made = results.get(number).is_some_and(|(made, _)| *made).into();
        match number as i128 == threads {
            true => vec![0, 7, made, start, start + threads],
            false => vec![1, 7, number as i128, made, start, start + threads - 1],
        }
    };
    let fun = |number: usize| {
        let total = number as i128 == threads;
        let (order, thread) = if total { (Order::Total, 0) } else { (Order::Up, 1) };
        Fun {
            name: (if total { "total" } else { "ticket" }).into(),
            ty: IntTy::I32,
            kind: FunKind::Ticket(Ticket { order, cell: 1, thread, bounded: true }),
        }
    };
    let mentioned: Vec<B> = (0..results.len())
        .map(|i| N::num(-1000).le(&N::call(fun(i), args(i).into_iter().map(N::num).collect())))
        .collect();
    let table =
        |f: &Fun, given: &[i128]| (0..results.len()).find(|i| *f == fun(*i) && args(*i) == given).map(|i| results[i].1);
    let env = Env::with_functions(&table);
    tickets::facts(&mentioned).iter().all(|fact| eval_b(fact, &env) == Ok(true))
}

#[test]
fn counters_of_blocks_fulfil_the_facts() {
    for seed in 0..3_000 {
        assert!(bounded(seed, Spoilt::Nothing), "seed {seed}");
    }
    for spoilt in [Spoilt::Start, Spoilt::Twice, Spoilt::Store, Spoilt::Made] {
        assert!((0..3_000).any(|seed| !bounded(seed, spoilt)));
    }
}
