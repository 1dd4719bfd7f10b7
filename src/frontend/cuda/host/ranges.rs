//! Sizes of a launch that says how many threads there are in all, as that of OpenCL does. [HOST-NDRANGE]

use tree_sitter::Node;

use super::super::ndrange::{CHOSEN, RANGE};
use super::Host;
use super::places::listed_in;
use crate::exp::N;

/// Along each axis.
type Sizes = [Option<N>; 3];

impl<'u> Host<'_, 'u> {
    /// The number of threads in all, where that is given instead of the number of blocks.
    pub(super) fn range(&self, grid: Node<'u>) -> Option<Node<'u>> {
        let function = grid.child_by_field_name("function").filter(|f| self.unit.str(*f) == RANGE)?;
        listed_in(grid.child_by_field_name("arguments").filter(|_| function.kind() == "identifier")?).first().copied()
    }

    /// Does the runtime choose the size of the blocks?
    pub(super) fn is_chosen(&self, block: Node<'u>) -> bool {
        block.child_by_field_name("function").is_some_and(|f| self.unit.str(f) == CHOSEN)
    }

    /// The sizes of the grid and the blocks, and the number of threads along the axes where that of the blocks is not known.
    pub(super) fn sizes_of_range(&mut self, range: Node<'u>, block: Option<Node<'u>>) -> (Sizes, Sizes, Sizes) {
        let threads = match self.is_chosen(range) {
            true => [None, None, None],
            false => self.dims(range),
        };
        let mut block = match block.filter(|b| !self.is_chosen(*b)) {
            Some(block) => self.dims(block),
            None => [None, None, None],
        };
        let (mut grid, mut global) = ([None, None, None], [None, None, None]);
        for (axis, threads) in threads.into_iter().enumerate() {
            let Some(threads) = threads else { continue };
            match (threads.as_num(), block[axis].as_ref().and_then(N::as_num)) {
                (Some(1), _) if block[axis].is_none() => (grid[axis], block[axis]) = (Some(N::num(1)), Some(N::num(1))),
                (_, Some(1)) => grid[axis] = Some(threads),
                (Some(all), Some(each)) if each > 0 && all % each == 0 => grid[axis] = Some(N::num(all / each)),
                // The last group would be a smaller one.
                (Some(_), Some(_)) => block[axis] = None,
                _ => global[axis] = Some(threads),
            }
        }
        (grid, block, global)
    }
}
