//! Changes of a text that remember where each character of the new one was.

use std::ops::Range;

/// What is written instead of a range of a text, which may be empty.
#[derive(Clone, Debug)]
struct Edit {
    old: Range<usize>,
    new: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

/// Where the parts of a changed text come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins(Vec<(usize, Range<usize>, bool)>);

impl Edits {
    pub(super) fn replace(&mut self, old: Range<usize>, new: impl Into<String>) {
        self.0.push(Edit { old, new: new.into() });
    }

    pub(super) fn insert(&mut self, at: usize, new: impl Into<String>) {
        self.replace(at..at, new);
    }

    /// A part of the text with the changes in it. Of two changes, one within the other, the outer one counts.
    pub(super) fn applied(&self, text: &str, part: Range<usize>) -> (String, Origins) {
        let mut edits: Vec<&Edit> =
            self.0.iter().filter(|e| part.start <= e.old.start && e.old.end <= part.end).collect();
        // In the order in which they were made, where they begin at one place.
        edits.sort_by_key(|e| (e.old.start, !e.old.is_empty(), std::cmp::Reverse(e.old.end)));
        let (mut new, mut origins, mut at) = (String::new(), Vec::new(), part.start);
        for edit in edits {
            if edit.old.start < at {
                continue;
            }
            origins.push((new.len(), at..edit.old.start, true));
            new.push_str(&text[at..edit.old.start]);
            origins.push((new.len(), edit.old.clone(), false));
            new.push_str(&edit.new);
            at = edit.old.end;
        }
        origins.push((new.len(), at..part.end, true));
        new.push_str(&text[at..part.end]);
        (new, Origins(origins))
    }
}

impl Origins {
    /// The position in the old text; what was written anew is where the change is.
    pub(super) fn back(&self, at: usize, is_end: bool) -> usize {
        let after = self.0.partition_point(|(start, ..)| if is_end { *start < at } else { *start <= at });
        let Some((start, old, kept)) = after.checked_sub(1).and_then(|i| self.0.get(i)) else { return at };
        match (kept, is_end) {
            (true, _) => (old.start + (at - start)).min(old.end),
            (false, true) => old.end,
            (false, false) => old.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_change_counts_and_places_are_known() {
        let mut edits = Edits::default();
        edits.replace(2..4, "xyz");
        edits.replace(2..3, "lost");
        edits.insert(6, "+");
        let (new, origins) = edits.applied("abcdefgh", 0..8);
        assert_eq!(new, "abxyzef+gh");
        assert_eq!((origins.back(0, false), origins.back(3, false), origins.back(5, false)), (0, 2, 4));
        assert_eq!((origins.back(5, true), origins.back(8, false), origins.back(10, true)), (4, 6, 8));
        assert_eq!(edits.applied("abcdefgh", 1..4).0, "bxyz");
    }
}
