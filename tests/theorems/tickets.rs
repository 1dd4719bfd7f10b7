//! THM-TICKET: the results of atomic operations, in any order of any threads, fulfil what is taken to be known of them.

use std::collections::BTreeMap;

use faial_like::core::tickets;
use faial_like::exp::{B, Env, Fun, FunKind, IntTy, N, Order, Ticket, eval_b};
use faial_like::fuzz::Choices;

const ORDERS: [Order; 4] = [Order::Up, Order::Down, Order::Swap, Order::Compare];

/// One operation of a run: its arguments, and the content that it found.
struct Operation {
    args: [i128; 4],
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
}

/// Threads take turns in any order, each with operations on any of two cells.
fn run(order: Order, seed: u64, wrong: Wrong) -> Vec<Operation> {
    let mut choices = Choices::seeded(seed, 64);
    let mut cells = BTreeMap::new();
    let start = [choices.pick(7) as i128 - 3, choices.pick(7) as i128 - 3];
    // What operations replace is even, what they store instead is odd.
    let swapped = choices.pick(5) as i128;
    let mut done: Vec<Operation> = Vec::new();
    for number in 0..6 {
        let (cell, thread) = (choices.pick(2) as i128, choices.pick(4) as i128);
        let content = *cells.entry(cell).or_insert(start[cell as usize]);
        let operand = match order {
            Order::Up | Order::Down => choices.pick(3) as i128,
            Order::Swap => swapped,
            Order::Compare => 2 * choices.pick(2) as i128,
        };
        let applied = operand - if wrong == Wrong::Operand && number == 2 { 3 } else { 0 };
        let next = match order {
            Order::Up => content + applied,
            Order::Down => content - applied,
            Order::Swap => applied,
            Order::Compare if content == applied => applied + if wrong == Wrong::Operand { 2 } else { 5 },
            Order::Compare => content,
        };
        cells.insert(cell, next);
        if wrong == Wrong::Store && choices.pick(3) == 0 {
            cells.insert(cell, start[cell as usize]);
        }
        let named = if wrong == Wrong::Thread { number } else { thread };
        // A thread that stores in between is the same one: its own operations say nothing of each other.
        if wrong == Wrong::Thread && number % 2 == 1 {
            cells.insert(cell, content);
        }
        done.push(Operation { args: [operand, cell, named, number], result: content });
    }
    done
}

/// Do the facts about these operations hold?
fn fulfilled(order: Order, run: &[Operation]) -> bool {
    let kind = FunKind::Ticket(Ticket { order, cell: 1, thread: 1 });
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
        for wrong in [Wrong::Store, Wrong::Operand, Wrong::Thread] {
            let killed = (0..3_000).any(|seed| !fulfilled(order, &run(order, seed, wrong)));
            assert!(killed, "{order:?}");
        }
    }
}
