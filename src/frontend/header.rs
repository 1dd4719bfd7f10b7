//! The comment at the top of a kernel file that says how GPUVerify is to be run on it.
//!
//! ```text
//! //xfail:NOT_ALL_VERIFIED
//! //--blockDim=[8,8] --gridDim=4 -DWIDTH=64 --no-inline
//! ```

use std::ops::Range;
use std::path::PathBuf;

/// What the header says; everything is optional.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Header {
    pub expected: Option<Expected>,
    /// Threads in a block, or work-items in a work-group.
    pub block: Option<[Extent; 3]>,
    /// Blocks in the grid, or work-groups.
    pub grid: Option<[Extent; 3]>,
    pub defines: Vec<(String, Option<String>)>,
    pub include_dirs: Vec<PathBuf>,
    /// All other options, as written.
    pub flags: Vec<String>,
    pub remarks: Vec<HeaderRemark>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    Pass,
    /// One of these error codes of GPUVerify, in capitals.
    Fail(Vec<String>),
}

/// A size in one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    Known(i128),
    /// `*`: any size.
    Any,
}

/// Something in the header that could not be used, and the bytes of the text that hold it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderRemark {
    pub code: &'static str,
    pub text: String,
    pub at: Range<usize>,
}

impl Header {
    /// `--global_offset=64` or `--global_offset=[8,8]`: what is added to global ids.
    pub fn offset(&self) -> [i128; 3] {
        let text = self.flag("global_offset").unwrap_or("");
        let numbers = text.trim_matches(['[', ']']).split(',').map(|n| n.trim().parse().unwrap_or(0));
        let mut all = [0; 3];
        all.iter_mut().zip(numbers).for_each(|(axis, n)| *axis = n);
        all
    }

    /// The value of a flag: that of `warp-sync` is `32` for `--warp-sync=32`, and empty for `--warp-sync`.
    pub fn flag(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find_map(|flag| {
            let (key, value) = flag.split_once('=').unwrap_or((flag, ""));
            (key.trim_start_matches('-') == name).then_some(value)
        })
    }
}

/// The header of a kernel file.
///
/// Shape:    the first line `//pass` or `//xfail:CODE|CODE`, then one or more comment lines of options; blank lines and other
///           comments may stand between the two. The header ends with its option lines: further ones, after a blank line
///           or other words, are alternatives that somebody noted down.
/// Units:    missing dimensions are 1; the places of remarks are bytes of the text.
/// Errors:   none: what is malformed becomes a remark, and is otherwise ignored.
pub fn parse_header(text: &str) -> Header {
    let mut header = Header::default();
    let mut sizes = Sizes::default();
    let mut first = true;
    let mut in_options = false;
    let mut start = usize::from(text.starts_with('\u{feff}')) * '\u{feff}'.len_utf8();
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        let line = Words { text, start, end: start + length }.trimmed();
        start += length;
        if line.is_empty() && !in_options {
            continue;
        }
        if !line.as_str().starts_with("//") {
            break;
        }
        let comment = Words { start: line.start + 2, ..line }.trimmed();
        let expected = std::mem::take(&mut first).then(|| expected(comment.as_str())).flatten();
        if expected.is_some() {
            header.expected = expected;
        } else if is_options(comment.as_str()) {
            options(comment, &mut header, &mut sizes);
            in_options = true;
        } else if in_options {
            break;
        }
    }
    sizes.settle(&mut header);
    header
}

fn expected(comment: &str) -> Option<Expected> {
    let lower = comment.to_ascii_lowercase();
    if lower == "pass" {
        return Some(Expected::Pass);
    }
    let codes = comment.get(lower.strip_prefix("xfail:").map(|codes| comment.len() - codes.len())?..)?;
    Some(Expected::Fail(codes.split('|').map(|code| code.trim().to_ascii_uppercase()).collect()))
}

/// A comment of options, and not a ruler of dashes.
fn is_options(comment: &str) -> bool {
    let letter = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    comment.strip_prefix("--").is_some_and(letter) || comment.starts_with("-D") || comment.starts_with("-I")
}

/// A part of the text.
#[derive(Clone, Copy)]
struct Words<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Words<'a> {
    fn as_str(&self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or("")
    }

    fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    fn trimmed(self) -> Words<'a> {
        let whole = self.as_str();
        let start = self.start + (whole.len() - whole.trim_start().len());
        Words { start, end: start + whole.trim().len(), ..self }
    }

    /// The part from byte `offset` of this one on.
    fn from(self, offset: usize) -> Words<'a> {
        Words { start: (self.start + offset).min(self.end), ..self }
    }

    /// The words between blanks; blanks inside brackets separate nothing.
    fn split(self) -> Vec<Words<'a>> {
        let mut words = vec![];
        let mut depth = 0_usize;
        let mut start = None;
        for (index, c) in self.as_str().char_indices() {
            match c {
                '[' | '(' => depth += 1,
                ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if !c.is_whitespace() || (depth > 0 && start.is_some()) {
                start.get_or_insert(self.start + index);
            } else if let Some(start) = start.take() {
                words.push(Words { start, end: self.start + index, ..self });
            }
        }
        words.extend(start.map(|start| Words { start, ..self }));
        words
    }
}

fn options(line: Words, header: &mut Header, sizes: &mut Sizes) {
    let mut words = line.split().into_iter();
    while let Some(word) = words.next() {
        let text = word.as_str();
        if let Some(rest) = text.strip_prefix("-D").or(text.strip_prefix("-I")) {
            let operand = if rest.is_empty() { words.next() } else { Some(word.from(2)) };
            let Some(operand) = operand else {
                header.remark("header-option", format!("`{text}` needs a value"), word.range());
                continue;
            };
            let operand = operand.as_str();
            if text.starts_with("-I") {
                header.include_dirs.push(PathBuf::from(operand));
            } else {
                let (name, value) = operand.split_once('=').map_or((operand, None), |(n, v)| (n, Some(v.to_string())));
                header.defines.push((name.to_string(), value));
            }
        } else if let Some(size) = Size::of(text.split('=').next().unwrap_or("")) {
            let value = match text.find('=') {
                Some(equals) => Some(word.from(equals + 1)),
                None => words.next(),
            };
            let value = value.unwrap_or(word.from(text.len()));
            match dimensions(value.as_str()) {
                Ok(extents) => sizes.set(size, extents, word.range(), header),
                Err(why) => header.remark("header-dimensions", why, word.range()),
            }
        } else if text.starts_with('-') {
            header.flags.push(text.to_string());
        } else {
            header.remark("header-option", format!("`{text}` is not an option"), word.range());
            return;
        }
    }
}

impl Header {
    fn remark(&mut self, code: &'static str, text: String, at: Range<usize>) {
        self.remarks.push(HeaderRemark { code, text, at });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Block,
    Grid,
    Global,
}

impl Size {
    fn of(option: &str) -> Option<Size> {
        match option {
            "--blockDim" | "--local_size" => Some(Size::Block),
            "--gridDim" | "--num_groups" => Some(Size::Grid),
            "--global_size" => Some(Size::Global),
            _ => None,
        }
    }
}

/// One to three sizes, with or without brackets.
fn dimensions(value: &str) -> Result<Vec<Extent>, String> {
    let value = value.trim();
    let inside = match value.chars().next() {
        Some('[') => value.strip_prefix('[').and_then(|v| v.strip_suffix(']')),
        Some('(') => value.strip_prefix('(').and_then(|v| v.strip_suffix(')')),
        _ => Some(value),
    };
    let inside = inside.ok_or_else(|| format!("the brackets of `{value}` do not match"))?;
    let extents = inside.split(',').map(str::trim).map(|number| match number {
        "*" => Ok(Extent::Any),
        _ => match number.parse() {
            Ok(size) if 0 < size => Ok(Extent::Known(size)),
            _ => Err(format!("a dimension is a positive number or `*`, not `{number}`")),
        },
    });
    let extents: Vec<Extent> = extents.collect::<Result<_, _>>()?;
    if 3 < extents.len() {
        return Err(format!("there are at most 3 dimensions, not {}", extents.len()));
    }
    Ok(extents)
}

/// The sizes given so far, and where.
#[derive(Default)]
struct Sizes {
    given: Vec<(Size, Vec<Extent>, Range<usize>)>,
}

impl Sizes {
    /// The last one of a kind counts.
    fn set(&mut self, size: Size, extents: Vec<Extent>, at: Range<usize>, header: &mut Header) {
        let is_grid = |size: Size| size != Size::Block;
        let before = self.given.len();
        self.given.retain(|(other, ..)| is_grid(*other) != is_grid(size));
        if self.given.len() < before {
            let what = if size == Size::Block { "block" } else { "grid" };
            header.remark("header-dimensions", format!("the size of the {what} is given twice"), at.clone());
        }
        self.given.push((size, extents, at));
    }

    fn settle(self, header: &mut Header) {
        let find = |wanted: Size| self.given.iter().find(|(size, ..)| *size == wanted);
        header.block = find(Size::Block).map(|(_, extents, _)| padded(extents));
        header.grid = find(Size::Grid).map(|(_, extents, _)| padded(extents));
        if let Some((_, global, at)) = find(Size::Global) {
            match find(Size::Block).map(|(_, local, _)| groups(global, local)) {
                Some(Ok(grid)) => header.grid = Some(padded(&grid)),
                Some(Err(why)) => header.remark("header-dimensions", why, at.clone()),
                None => {
                    let why = "a global size needs a work-group size to be divided by".to_string();
                    header.remark("header-dimensions", why, at.clone());
                }
            }
        }
    }
}

fn padded(extents: &[Extent]) -> [Extent; 3] {
    [0, 1, 2].map(|axis| extents.get(axis).copied().unwrap_or(Extent::Known(1)))
}

fn groups(global: &[Extent], local: &[Extent]) -> Result<Vec<Extent>, String> {
    if global.len() != local.len() {
        return Err("the global size and the work-group size have different numbers of dimensions".to_string());
    }
    let divide = |(global, local): (&Extent, &Extent)| match (*global, *local) {
        (Extent::Any, _) | (_, Extent::Any) => Ok(Extent::Any),
        (Extent::Known(global), Extent::Known(local)) if global % local == 0 => Ok(Extent::Known(global / local)),
        (Extent::Known(global), Extent::Known(local)) => {
            Err(format!("the global size {global} is not a multiple of the work-group size {local}"))
        }
    };
    global.iter().zip(local).map(divide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(sizes: [i128; 3]) -> Option<[Extent; 3]> {
        Some(sizes.map(Extent::Known))
    }

    fn remarks(text: &str) -> Vec<(String, &str)> {
        parse_header(text).remarks.into_iter().map(|remark| (remark.text, &text[remark.at])).collect()
    }

    #[test]
    fn the_first_line_says_what_to_expect() {
        let fail = |codes: &[&str]| Some(Expected::Fail(codes.iter().map(|code| code.to_string()).collect()));
        assert_eq!(parse_header("//pass\n").expected, Some(Expected::Pass));
        assert_eq!(parse_header("\n  //PASS\r\n").expected, Some(Expected::Pass));
        assert_eq!(parse_header("//xfail:NOT_ALL_VERIFIED").expected, fail(&["NOT_ALL_VERIFIED"]));
        assert_eq!(parse_header("//xfail:A_B|c\n").expected, fail(&["A_B", "C"]));
        assert_eq!(parse_header("//passage\n//pass").expected, None);
        assert_eq!(parse_header("int x;\n//pass").expected, None);
        assert_eq!(parse_header(""), Header::default());
    }

    #[test]
    fn dimensions_have_brackets_or_not() {
        let header = parse_header("//pass\n//--blockDim=64 --gridDim=[8,4]\n");
        assert_eq!((header.block, header.grid), (known([64, 1, 1]), known([8, 4, 1])));
        let header = parse_header("//pass\n\n// --local_size=(2, 3, 4)\n//--num_groups=5,6\nint x;\n//--gridDim=9");
        assert_eq!((header.block, header.grid), (known([2, 3, 4]), known([5, 6, 1])));
        let header = parse_header("//--blockDim=[*,2]");
        assert_eq!(header.block, Some([Extent::Any, Extent::Known(2), Extent::Known(1)]));
        assert_eq!(parse_header("//--blockDim 7").block, known([7, 1, 1]));
    }

    #[test]
    fn a_global_size_is_divided_into_groups() {
        let header = parse_header("//pass\n//--global_size=[64,6] --local_size=[16,3]");
        assert_eq!(header.grid, known([4, 2, 1]));
        assert_eq!(
            remarks("//--local_size=[4,4] --global_size=16"),
            [(
                "the global size and the work-group size have different numbers of dimensions".to_string(),
                "--global_size=16"
            )]
        );
        let header = parse_header("//pass\n//--global_size=* --local_size=16");
        assert_eq!(header.grid, Some([Extent::Any, Extent::Known(1), Extent::Known(1)]));
        let text = "//pass\n//--global_size=10 --local_size=4";
        assert_eq!(
            remarks(text),
            [("the global size 10 is not a multiple of the work-group size 4".to_string(), "--global_size=10")]
        );
    }

    #[test]
    fn alternatives_are_not_part_of_the_header() {
        let header = parse_header("//pass\n//note\n//--blockDim=64\n\n//or\n//--blockDim=8 -DSMALL\n");
        assert_eq!((header.block, header.defines.len(), header.remarks), (known([64, 1, 1]), 0, vec![]));
        let header = parse_header("//pass\n//--blockDim=64\n//or\n//--blockDim=8 -DSMALL\n");
        assert_eq!((header.block, header.defines.len(), header.remarks), (known([64, 1, 1]), 0, vec![]));
    }

    #[test]
    fn other_options_are_kept() {
        let header = parse_header("//pass\n//--no-inline -DA -D B=2 --warp-sync=32 -I inc -Id --kernel-args=k,1\n");
        assert_eq!(header.defines, [("A".to_string(), None), ("B".to_string(), Some("2".to_string()))]);
        assert_eq!(header.include_dirs, [PathBuf::from("inc"), PathBuf::from("d")]);
        assert_eq!(header.flags, ["--no-inline", "--warp-sync=32", "--kernel-args=k,1"]);
        assert_eq!(
            (header.flag("warp-sync"), header.flag("no-inline"), header.flag("x")),
            (Some("32"), Some(""), None)
        );
        assert_eq!(header.remarks, []);
    }

    #[test]
    fn rulers_and_prose_are_not_options() {
        assert_eq!(parse_header("//-------------\n//--- x\n// -- y\n// text"), Header::default());
    }

    #[test]
    fn malformed_options_have_a_place() {
        let one = |why: &str, at: &'static str| vec![(why.to_string(), at)];
        assert_eq!(remarks("//--blockDim=[1"), one("the brackets of `[1` do not match", "--blockDim=[1"));
        assert_eq!(
            remarks("//--blockDim=0 -Dx"),
            one("a dimension is a positive number or `*`, not `0`", "--blockDim=0")
        );
        assert_eq!(remarks("//--blockDim="), one("a dimension is a positive number or `*`, not ``", "--blockDim="));
        assert_eq!(remarks("//--gridDim=1,2,3,4"), one("there are at most 3 dimensions, not 4", "--gridDim=1,2,3,4"));
        assert_eq!(remarks("//--no-inline x"), one("`x` is not an option", "x"));
        assert_eq!(remarks("//--no-inline -D"), one("`-D` needs a value", "-D"));
        assert_eq!(
            remarks("//--gridDim=1 --num_groups=2"),
            one("the size of the grid is given twice", "--num_groups=2")
        );
        assert_eq!(
            remarks("//--global_size=2"),
            one("a global size needs a work-group size to be divided by", "--global_size=2")
        );
        assert_eq!(remarks("//--blockDim=99999999999999999999999999999999999999999999").len(), 1);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(//(-{0,3}|pass|xfail:)?[-a-zA-Z=,\\[\\]()*0-9 |é\u{feff}]{0,20}\r?\n|\\PC{0,9}){0,6}") {
            for remark in parse_header(&text).remarks {
                prop_assert!(text.get(remark.at).is_some());
            }
        }
    }
}
