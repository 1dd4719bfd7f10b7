//! Choices that make an input.

/// A list of choices, read one after the other; when it is used up, every choice is 0, the simplest one.
#[derive(Clone, Debug)]
pub struct Choices {
    values: Vec<u8>,
    /// Of each choice that was made: how many alternatives there were.
    arities: Vec<usize>,
    /// How many choices may still be made before all of them are 0.
    limit: usize,
}

impl Choices {
    pub fn new(values: Vec<u8>) -> Choices {
        let limit = values.len();
        Choices { values, arities: Vec::new(), limit }
    }

    /// Choices from a seed, by the generator splitmix64.
    pub fn seeded(seed: u64, length: usize) -> Choices {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let a = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((b ^ (b >> 31)) >> 56) as u8
        };
        Choices::new((0..length).map(|_| next()).collect())
    }

    /// A number below `arity`.
    pub fn pick(&mut self, arity: usize) -> usize {
        let value = if self.exhausted() { 0 } else { self.values.get(self.arities.len()).copied().unwrap_or(0) };
        self.arities.push(arity);
        usize::from(value) % arity.max(1)
    }

    /// One of the items.
    pub fn one_of<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        if items.is_empty() {
            return None;
        }
        let index = self.pick(items.len());
        items.get(index)
    }

    /// Yes in one of `arity` cases.
    pub fn rarely(&mut self, arity: usize) -> bool {
        self.pick(arity) == arity - 1
    }

    /// Have all choices been read?
    pub fn exhausted(&self) -> bool {
        self.arities.len() >= self.limit
    }

    pub fn values(&self) -> &[u8] {
        &self.values
    }
}

/// All inputs that `length` choices make, each once: the choices are counted through like the digits of a number, each
/// with the arity that it had.
pub struct Enumerate {
    next: Option<Vec<u8>>,
    length: usize,
}

impl Enumerate {
    pub fn new(length: usize) -> Enumerate {
        Enumerate { next: Some(Vec::new()), length }
    }

    /// The next list of choices; `made` is the one before, after it was read.
    pub fn advance(&mut self, made: Option<&Choices>) -> Option<Choices> {
        if let Some(made) = made {
            let mut digits: Vec<u8> = made.values.iter().copied().take(made.arities.len()).collect();
            digits.resize(made.arities.len().min(self.length), 0);
            self.next = loop {
                match digits.pop() {
                    None => break None,
                    Some(digit) => {
                        let arity = made.arities.get(digits.len()).copied().unwrap_or(1);
                        if usize::from(digit) + 1 < arity {
                            digits.push(digit + 1);
                            break Some(digits);
                        }
                    }
                }
            };
        }
        let values = self.next.clone()?;
        let mut choices = Choices::new(values);
        choices.limit = self.length;
        Some(choices)
    }
}

/// Makes a failing list of choices smaller, as long as `fails` says that it still fails.
pub fn shrink(values: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = values.to_vec();
    let mut improved = true;
    while improved {
        improved = false;
        for size in [64, 16, 4, 2, 1] {
            let mut at = best.len();
            while at > 0 {
                at = at.saturating_sub(size);
                let end = (at + size).min(best.len());
                let mut shorter = best.clone();
                shorter.drain(at..end);
                let mut zeroed = best.clone();
                zeroed.iter_mut().take(end).skip(at).for_each(|v| *v = 0);
                for candidate in [shorter, zeroed] {
                    let smaller = candidate.len() < best.len() || candidate < best;
                    if smaller && fails(&candidate) {
                        best = candidate;
                        improved = true;
                        break;
                    }
                }
            }
        }
        for at in 0..best.len() {
            let mut lower = best.clone();
            while let Some(digit) = lower.get_mut(at).filter(|d| **d > 0) {
                *digit -= 1;
                if !fails(&lower) {
                    break;
                }
                best = lower.clone();
                improved = true;
            }
        }
    }
    best
}
