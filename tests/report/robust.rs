//! Places that do not fit their file, in any way: every report still comes out, and the JSON keeps to its schema.

use proptest::prelude::*;

use crate::fixtures::*;
use crate::json::{json, violations};
use faial_like::report::finding::*;
use faial_like::report::{Drawing, Format, RenderOptions, Verbosity, render};

const TEXTS: [&str; 6] =
    ["", "\n", "a", "int ä = b[i];\r\n\tx\u{1b}y\r\n\r\n", "one\ntwo\nthree", "日本語[i] = 0;\n\n\n\n\nend\n"];

fn location() -> impl Strategy<Value = Location> {
    (prop::sample::select(vec!["a.cu", "gone.cu"]), 0..9usize, 0..20usize, 0..20usize, 0..40usize, 0..40usize).prop_map(
        |(path, line, column, end_column, start, end)| Location {
            path: path.to_owned(),
            line,
            column,
            end_column,
            start,
            end,
        },
    )
}

fn one_access() -> impl Strategy<Value = AccessReport> {
    let modes = vec![AccessMode::Read, AccessMode::Write, AccessMode::Atomic, AccessMode::Barrier];
    let calls = prop::collection::vec(location(), 0..3);
    (location(), prop::sample::select(modes), 0..3i128, prop::collection::vec(-2..3i128, 0..3), calls)
        .prop_map(|(at, mode, thread, index, calls)| AccessReport { calls, ..access(at, mode, thread, 0, &index) })
}

fn any_report() -> impl Strategy<Value = Report> {
    let kinds = prop::sample::select(vec![FindingKind::Race, FindingKind::Divergence]);
    let accesses = prop::collection::vec(one_access(), 0..4);
    let text = prop::sample::select(TEXTS.to_vec());
    (text, kinds, accesses, prop::option::of(location())).prop_map(|(text, kind, accesses, at)| {
        let mut kernel = kernel("k", 1, Verdict::Racy);
        kernel.findings = vec![Finding { kind, ..finding("f", "a", accesses) }];
        kernel.reasons = vec![message("unknown-value", "not known", at)];
        Report { files: vec![file("a.cu", text, FileStatus::Ok)], ..report(vec![kernel]) }
    })
}

proptest! {
    #[test]
    fn every_report_comes_out(report in any_report()) {
        for drawing in [Drawing::Unicode, Drawing::Ascii, Drawing::Narrated] {
            let opts = RenderOptions { verbosity: Verbosity::Verbose, color: false, drawing };
            let text = render(&report, Format::Text, &opts);
            prop_assert!(!text.contains("Failed to read"), "{}", text);
            prop_assert!(!text.contains('\u{1b}'), "{}", text);
        }
        let opts = RenderOptions::default();
        prop_assert!(render(&report, Format::Html, &opts).ends_with("</html>\n"));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&render(&report, Format::Sarif, &opts)).is_ok());
        prop_assert_eq!(violations(&json(&report)), Vec::<String>::new());
    }
}
