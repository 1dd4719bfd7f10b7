//! The preprocessor: what it makes of macros, conditionals and includes, where it says things come from, and that it ends.

use faial_like::base::{FileId, SourceMap, Span};
use faial_like::frontend::preprocess::{
    CUDA_PREDEFINED, Expanded, Limits, MemoryFiles, OPENCL_PREDEFINED, Options, Severity, preprocess,
};
use std::path::PathBuf;
use std::time::{Duration, Instant};

struct Run {
    sources: SourceMap,
    root: FileId,
    result: Expanded,
}

fn run_with(text: &str, options: &Options, files: &[(&str, &str)]) -> Run {
    let mut memory = MemoryFiles::default();
    for (path, text) in files {
        memory.add(path, *text);
    }
    let mut sources = SourceMap::default();
    let root = sources.add("src/a.cu", text);
    let result = preprocess(&mut sources, root, options, &memory);
    Run { sources, root, result }
}

fn run(text: &str) -> Run {
    run_with(text, &Options::default(), &[])
}

impl Run {
    fn codes(&self) -> Vec<&'static str> {
        self.result.remarks.iter().map(|remark| remark.code).collect()
    }

    fn errors(&self) -> Vec<&str> {
        let errors = self.result.remarks.iter().filter(|remark| remark.severity == Severity::Error);
        errors.map(|remark| remark.text.as_str()).collect()
    }

    /// The only remark: its code, and the text that it is about.
    fn only_remark(&self) -> (&'static str, &str) {
        match self.result.remarks.as_slice() {
            [one] => (one.code, one.at.map_or("", |at| self.sources.snippet(at))),
            many => panic!("{many:?}"),
        }
    }

    /// Where the first `needle` of the text comes from: written, spelled, and the macros around it.
    fn origin(&self, needle: &str) -> (&str, &str, Vec<String>) {
        let Some(start) = self.result.text.find(needle) else { panic!("{needle} is not in {}", self.result.text) };
        let origin = self.result.origins.origin(start, start + needle.len());
        (self.sources.snippet(origin.span), self.sources.snippet(origin.spelled), origin.expansion)
    }
}

/// Inputs and the text that they become; blanks count as one blank.
#[track_caller]
fn table(cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        let run = run(input);
        let text = run.result.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text, *expected, "\nof {input:?}");
        assert_eq!(run.codes(), [""; 0], "\nof {input:?}");
    }
}

/// An evil input: it must give one of these remarks, and that soon.
#[track_caller]
fn stops(text: &str, code: &str) -> Run {
    let start = Instant::now();
    let run = run(text);
    assert!(run.codes().contains(&code), "{:?}", run.result.remarks);
    assert!(run.result.has_errors());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    run
}

#[test]
fn plain_text_stays_as_it_is() {
    let text = "__global__ void k(int *a) {\n    a[threadIdx.x] = 1;\n\n\tk<<<1, 2>>>(a);\n}\n";
    assert_eq!(run(text).result.text, text);
    assert_eq!(run("").result.text, "");
    assert_eq!(run("\n\n").result.text, "");
}

#[test]
fn lines_survive_directives_and_comments() {
    let text = "int a; // one\n/* two\n */ int b;\n#define X 1\n  int c = X; /* d */ int e;\nX\n";
    assert_eq!(run(text).result.text, "int a;\n int b;\n  int c = 1; int e;\n1\n");
}

#[test]
fn object_macros() {
    table(&[
        ("#define N 4\nN", "4"),
        ("#define N\n[N]", "[]"),
        ("#define N (1 + 2)\nN*N", "(1 + 2)*(1 + 2)"),
        ("N\n#define N 4\nN\n#undef N\nN\n#undef N", "N 4 N"),
        ("#define A B\n#define B C\n#define C 1\nA B C", "1 1 1"),
        ("#define A B\n#define B 1\n#undef B\n#define B 2\nA", "2"),
        ("  #  define N /* c */ 4 // d\nN", "4"),
        ("#define N 1 + \\\n  2\nN", "1 + 2"),
        ("#def\\\nine N\\\nM 4\nNM", "4"),
        ("#define N 4\n\"N\" 'N' NN N", "\"N\" 'N' NN 4"),
        ("#define __global__ __attribute__((global))\n__global__ void f();", "__attribute__((global)) void f();"),
        ("#\n# 12 \"x.cu\"\n#line 7 \"y.cu\"\n#ident \"z\"\nx", "x"),
    ]);
}

#[test]
fn names_are_not_expanded_inside_themselves() {
    table(&[
        ("#define foo foo\nfoo", "foo"),
        ("#define foo a foo b\nfoo", "a foo b"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define a x b\n#define b y a\na | b", "x y a | y x b"),
        ("#define f(x) x f\nf(1)(2)(3)", "1 f(2)(3)"),
        ("#define f(x) f(x + 1)\nf(f(1))", "f(f(1 + 1) + 1)"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"),
        ("#define z z[0]\n#define f(a) f(z * (a))\nf(z)", "f(z[0] * (z[0]))"),
        ("#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)", "42"),
        ("#define AA BB\n#define BB AA\nAA AA", "AA AA"),
        ("#define id(x) x\n#define f() id(f)()\nf()", "f()"),
        ("#define obj(x) obj x\nobj(obj)(1)", "obj obj(1)"),
    ]);
}

#[test]
fn function_macros() {
    table(&[
        ("#define f(x) [x]\nf(1) f (2) f\n(3) f", "[1] [2] [3] f"),
        ("#define f(x, y) x-y\nf((1, 2), 3)", "(1, 2)-3"),
        ("#define f(x, y) x-y\nf(1,)f(,2)f(,)", "1- -2-"),
        ("#define f(x) <x>\nf()", "<>"),
        ("#define f() z\nf() f( ) f(/**/)", "z z z"),
        ("#define f (x)\nf", "(x)"),
        ("#define f\\\n(x) [x]\nf(1)", "[1]"),
        ("#define f(x) x\nf(f(f(f(1))))", "1"),
        ("#define f(x) g(x)\n#define g(x) h x\nf(g(1))", "h h 1"),
        ("#define f(x) x x\n#define N 3\nf(N N)", "3 3 3 3"),
        ("#define LP (\n#define f(x) [x]\nf LP 1)", "f ( 1)"),
        ("#define LP (\n#define RP )\n#define f(x) [x]\n#define e(x) x\ne(f LP 1 RP)", "[1]"),
        ("#define f(x) [x]\n#define g f\ng(1) g", "[1] f"),
        (
            "#define max(a,b) ((a)>(b)?(a):(b))\nmax(i++, max(j, k))",
            "((i++)>(((j)>(k)?(j):(k)))?(i++):(((j)>(k)?(j):(k))))",
        ),
    ]);
    table(&[
        ("#define f(x) [x]\nf(\n#ifdef A\n1\n#else\n2\n#endif\n)", "[2]"),
        ("#define f(if, while) while if\nf(1, 2)", "2 1"),
        ("#define f(x) [x]\nf\n#define g 1\n(2) g", "f (2) 1"),
        ("#define f(x,y) x\nf(\"a,b)\", ')') c", "\"a,b)\" c"),
    ]);
}

#[test]
fn strings_of_arguments() {
    table(&[
        ("#define s(x) #x\ns(a  b/**/c) s( a ) s()", "\"a b c\" \"a\" \"\""),
        ("#define s(x) #x\ns(\"a\\n\" '\\0' \\n)", "\"\\\"a\\\\n\\\" '\\\\0' \\n\""),
        ("#define N 4\n#define s(x) #x\n#define t(x) s(x)\ns(N) t(N)", "\"N\" \"4\""),
        ("#define s(...) #__VA_ARGS__\ns(a, b,c)", "\"a, b,c\""),
        ("#define s(x) # x #x\ns(1)", "\"1\" \"1\""),
        ("#define s #x\ns", "#x"),
        ("#define s(x) #x\ns('\"')", "\"'\\\"'\""),
        ("#define s(x) #x\ns(\\)", "\"\""),
    ]);
}

#[test]
fn pasted_tokens() {
    table(&[
        ("#define c(a, b) a##b\nc(x, 1) c(1, x) c(<, <=) c(, x) c(x, ) [c(,)]", "x1 1x <<= x x []"),
        ("#define N 4\n#define c(a, b) a ## b\nc(N, N) c(x, N)", "NN xN"),
        ("#define N 4\n#define c(a, b) a##b\n#define d(a, b) c(a, b)\nd(x, N)", "x4"),
        ("#define xy 7\n#define c(a, b) a##b\nc(x, y)", "7"),
        ("#define c(a, b, d) a##b##d\nc(x, 1, 2) c(, , 2) c(1, ,)", "x12 2 1"),
        ("#define x a##b\n#define ab 1\nx", "1"),
        ("#define c(a) a##1 a\n#define N n\nc(N) c(p q)", "N1 n p q1 p q"),
        ("#define hash # ## #\nhash", "##"),
        ("#define c(a) L ## #a\nc(x)", "L\"x\""),
        ("#define EMPTY\n#define c(a, b) a##b\nc(EMPTY, x)", "EMPTYx"),
        ("#define t(x) x##_t\n#define f(T) t(T) a\nf(int)", "int_t a"),
        (
            "#define t(x,y,z) x ## y ## z\n{ t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
            "{ 123, 45, 67, 89, 10, 11, 12, };",
        ),
    ]);
}

#[test]
fn the_example_of_the_c_standard() {
    let macros = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
                  #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n\
                  #define str(x) # x\n";
    let expand = |line: &str| {
        let run = run(&format!("{macros}{line}"));
        assert_eq!(run.codes(), [""; 0]);
        run.result.text.split_whitespace().collect::<String>()
    };
    assert_eq!(expand("f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"), "f(2*(y+1))+f(2*(f(2*(z[0]))))%f(2*(0))+t(1);");
    assert_eq!(expand("g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"), "f(2*(2+(3,4)-0,1))|f(2*(~5))&f(2*(0,1))^m(0,1);");
    assert_eq!(expand("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"), "inti[]={1,23,4,5,};");
    assert_eq!(expand("char c[2][6] = { str(hello), str() };"), "charc[2][6]={\"hello\",\"\"};");
}

#[test]
fn variadic_macros() {
    table(&[
        ("#define v(...) [__VA_ARGS__]\nv() v(1) v(1, 2) v((1, 2), 3)", "[] [1] [1, 2] [(1, 2), 3]"),
        ("#define v(f, ...) f:__VA_ARGS__;\nv(1) v(1,) v(1, 2, 3)", "1:; 1:; 1:2, 3;"),
        ("#define v(f, r...) f:r;\nv(1, 2, 3)", "1:2, 3;"),
        ("#define v(r...) r\nv(1, 2)", "1, 2"),
        ("#define p(f, ...) p(f, ##__VA_ARGS__)\np(1) p(1, 2)", "p(1) p(1, 2)"),
        ("#define p(f, r...) p(f , ## r)\np(1) p(1,) p(1, 2, 3)", "p(1) p(1 ,) p(1 , 2, 3)"),
        ("#define p(...) q(a, ##__VA_ARGS__)\np() p(1)", "q(a) q(a,1)"),
        ("#define N 4\n#define p(f, ...) f, ##__VA_ARGS__\np(1, N)", "1, 4"),
        ("#define o(f, ...) f __VA_OPT__(, __VA_ARGS__)\no(1) o(1, 2) o(1, )", "1 1 , 2 1"),
        ("#define E\n#define o(...) [__VA_OPT__(x ## __VA_ARGS__)]\no() o(1) o(E)", "[] [x1] []"),
        ("#define o(x, ...) #__VA_OPT__(x and __VA_ARGS__)\no(1) o(1, 2)", "\"\" \"1 and 2\""),
        ("#define o(x, ...) a ## __VA_OPT__(x) ## b\no(1) o(1, 2)", "ab a1b"),
    ]);
}

#[test]
fn conditionals() {
    table(&[
        ("#if 1\na\n#else\nb\n#endif\nc", "a c"),
        ("#if 0\na\n#else\nb\n#endif\nc", "b c"),
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#if 0\n#elif 0\n#else\nd\n#endif", "d"),
        ("#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\n#if 1\nd\n#endif\n#endif", "b c"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif", "c"),
        (
            "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#ifdef B\nc\n#elifdef A\nd\n#elifndef A\ne\n#endif",
            "a d",
        ),
        ("#if 0\ndon't \"read\n#endif\nx", "x"),
        ("#if 0\n/* read\n#endif\n */ #bad \"\n#endif\nx", "x"),
        ("#if 0\n#error no\n#include \"no.h\"\n#define X\n#nonsense\n#endif\n#ifdef X\nx\n#endif\ny", "y"),
        ("#if 1\na\n#elif 1 / 0\nb\n#endif", "a"),
        ("#define N 4\n#define f(x) ((x) + 1)\n#if f(N) == 5 && defined(N) && !defined M && defined f\na\n#endif", "a"),
        ("#define D defined(N)\n#define N\n#if D\na\n#endif", "a"),
        ("#if __has_include(\"no.h\") || !__has_include(<cuda_runtime.h>)\na\n#else\nb\n#endif", "b"),
        ("#ifdef __has_include\na\n#endif\n#if defined(__FILE__) && defined __LINE__\nb\n#endif", "a b"),
        ("#if 'a' == 97 && -1 > 0u && (2 || 1 / 0) && true\na\n#endif", "a"),
        ("#if 0 /* x\n*/\na\n#endif\nb", "b"),
        ("#if 1 // x \\\n y\na\n#endif", "a"),
        ("#if 0\n  # else\nb\n  # /**/ endif // x\nc", "b c"),
        ("#if 0\nx = R\"(\n#endif\n)\";\n#endif\ny", "y"),
    ]);
}

#[test]
fn bad_conditionals_are_errors_and_the_rest_is_read() {
    let one = |text: &str| {
        let run = run(text);
        let (code, at) = run.only_remark();
        (code, at.to_string(), run.result.text.trim().to_string())
    };
    assert_eq!(one("#if 1 +\na\n#endif\nb"), ("bad-condition", "#if".to_string(), "b".to_string()));
    assert_eq!(one("#if 1 / (2 - 2)\na\n#endif\nb"), ("bad-condition", "#if".to_string(), "b".to_string()));
    assert_eq!(one("#if 1 \"s\"\n#else\na\n#endif"), ("bad-condition", "\"s\"".to_string(), "a".to_string()));
    assert_eq!(one("#if\na\n#endif"), ("bad-condition", "#if".to_string(), String::new()));
    assert_eq!(one("#ifdef\na\n#endif"), ("bad-condition", "#ifdef".to_string(), String::new()));
    assert_eq!(one("#if defined(\na\n#endif"), ("bad-condition", "defined".to_string(), String::new()));
    assert_eq!(one("#endif\na"), ("stray-conditional", "#endif".to_string(), "a".to_string()));
    assert_eq!(one("#else\na"), ("stray-conditional", "#else".to_string(), "a".to_string()));
    assert_eq!(
        one("#if 1\na\n#else\n#else\nb\n#endif\nc"),
        ("stray-conditional", "#else".to_string(), "a\nc".to_string())
    );
    assert_eq!(one("a\n#ifdef B\nb"), ("unterminated-conditional", "#ifdef".to_string(), "a".to_string()));
    assert_eq!(
        one("#if __has_feature(x) + 1\na\n#endif"),
        ("unknown-feature-test", "#if".to_string(), "a".to_string())
    );
}

#[test]
fn what_is_wrong_with_a_source() {
    for (text, code, at) in [
        ("a /* b", "unterminated-comment", "/*"),
        ("#define A /* b", "unterminated-comment", "/*"),
        ("#if 0\n#endif /* b", "unterminated-comment", "/*"),
        ("a = \"b\nc", "unterminated-literal", "\""),
        ("a = 'b\nc", "unterminated-literal", "'"),
        ("#define A don't\nA", "unterminated-literal", "A"),
        ("a = R\"(b\nc", "unterminated-literal", "R\""),
        ("#define f(x) x\nf(1", "unterminated-call", "f"),
        ("#define f(x) x\nf(1, 2)", "argument-count", "f"),
        ("#define f(x, y) x\nf(1)", "argument-count", "f"),
        ("#define f() x\nf(1)", "argument-count", "f"),
        ("#define f(x, y, ...) x\nf(1)", "argument-count", "f"),
        ("#define f(x, x) x", "bad-define", "x"),
        ("#define f(x", "bad-define", "f"),
        ("#define f(x y) x", "bad-define", "y"),
        ("#define f(1) x", "bad-define", "1"),
        ("#define f(..., x) x", "bad-define", ","),
        ("#define f(x) #y", "bad-define", "#"),
        ("#define f(x) ## x", "bad-define", "##"),
        ("#define f(x) x ##", "bad-define", "##"),
        ("#define f(...) __VA_OPT__(__VA_OPT__())", "bad-define", "__VA_OPT__"),
        ("#define f(...) __VA_OPT__(", "bad-define", "__VA_OPT__"),
        ("#define 1", "bad-define", "#define"),
        ("#define", "bad-define", "#define"),
        ("#define defined", "bad-define", "#define"),
        ("#undef 1", "bad-define", "#undef"),
        ("#define c(a, b) a##b\nc(x, +)", "bad-paste", "c(x, +)"),
        ("#include", "bad-include", "#include"),
        ("#include x", "bad-include", "#include"),
        ("#nonsense here", "unknown-directive", "#nonsense"),
        ("_Pragma(1)", "bad-pragma", "_Pragma"),
    ] {
        let run = run(text);
        assert_eq!(run.only_remark(), (code, at), "of {text:?}");
        assert!(run.result.has_errors(), "of {text:?}");
    }
}

#[test]
fn calls_that_do_not_fit_are_left_in_the_text() {
    assert_eq!(run("#define f(x) x\n#define N 4\nf(N, 2) b").result.text, "f(4, 2) b\n");
    assert_eq!(run("#define f(x) x\nf(1\nb").result.text, "f(1\nb\n");
    assert_eq!(run("#define c(a, b) a##b\nc(x, +)").result.text, "x+\n");
}

#[test]
fn notes_do_not_stop_the_reading() {
    for (text, code, at, rest) in [
        ("#error no  way\na", "error-directive", "#error no  way", "a"),
        ("#error don't\na", "error-directive", "#error don't", "a"),
        ("#warning hm\na", "warning-directive", "#warning hm", "a"),
        ("#define A 1\n#define A 2\nA", "macro-redefined", "A", "2"),
        ("#define f(x) x\n#define f(y) y\nf(1)", "macro-redefined", "f", "1"),
        ("#include \"no.h\"\na", "include-missing", "#include \"no.h\"", "a"),
    ] {
        let run = run(text);
        assert_eq!(run.only_remark(), (code, at));
        assert_eq!(run.result.text.trim(), rest);
        assert!(!run.result.has_errors());
    }
    assert_eq!(run("#error no  way").result.remarks[0].text, "#error no way");
    assert_eq!(run("#define A 1 + 2\n#define A 1  +  /**/ 2\n#define f(x) x\n#define f( x ) x").codes(), [""; 0]);
    assert_eq!(run("#include <cuda_runtime.h>\n#include \"stdio.h\"\n#include <thrust/sort.h>\nx").codes(), [""; 0]);
}

#[test]
fn includes_are_searched_beside_the_file_and_then_in_folders() {
    let options = Options { include_dirs: vec![PathBuf::from("inc"), PathBuf::from("more")], ..Options::default() };
    let files = [
        ("src/b.h", "b\n#include \"sub/c.h\"\n"),
        ("src/sub/c.h", "c\n#include \"d.h\"\n#include \"../e.h\"\n"),
        ("src/sub/d.h", "d\n"),
        ("src/e.h", "e"),
        ("inc/f.h", "f\n"),
        ("more/f.h", "no\n"),
        ("more/g.h", "g\n"),
        ("src/math.h", "no\n"),
        ("inc/next.h", "n1\n#include_next \"next.h\"\n"),
        ("more/next.h", "n2\n"),
    ];
    let text = "#include \"b.h\"\n#include <f.h>\n#define G <g.h>\n#include G\n#define E \"e.h\"\n#include E\n\
                #include <math.h>\n#include <next.h>\n#if __has_include(<g.h>) && !__has_include(\"z.h\")\nh\n#endif\nz";
    let run = run_with(text, &options, &files);
    assert_eq!(run.result.text, "b\nc\nd\ne\nf\ng\ne\nn1\nn2\nh\nz\n");
    assert_eq!(run.codes(), [""; 0]);
}

#[test]
fn files_are_included_once_when_they_say_so() {
    let files = [
        ("src/once.h", "#pragma once\nonce\n"),
        ("src/guard.h", "// c\n#ifndef G\n#define G\nguard\n#endif\n"),
        ("src/twice.h", "twice\n"),
    ];
    let text = "#include \"once.h\"\n#include \"./once.h\"\n#include \"guard.h\"\n#include \"guard.h\"\n#include \"twice.h\"\n\
                #include \"twice.h\"\n#undef G\n#include \"guard.h\"\n#import \"../src/twice.h\"\n#import \"twice.h\"\n";
    let run = run_with(text, &Options::default(), &files);
    assert_eq!(run.result.text, "once\nguard\ntwice\ntwice\nguard\ntwice\n");
    assert_eq!(run.result.pragmas, []);
}

#[test]
fn a_guard_must_hold_all_of_the_file() {
    let files = [
        ("src/a.h", "#ifndef A\n#define A\n1\n#else\n2\n#endif\n"),
        ("src/b.h", "#ifndef B\n#define B\n#endif\n3\n"),
        ("src/c.h", "4\n#ifndef C\n#define C\n#endif\n"),
    ];
    let text =
        "#include \"a.h\"\n#include \"a.h\"\n#include \"b.h\"\n#include \"b.h\"\n#include \"c.h\"\n#include \"c.h\"\n";
    assert_eq!(run_with(text, &Options::default(), &files).result.text, "1\n2\n3\n3\n4\n4\n");
}

#[test]
fn a_conditional_and_a_call_end_in_their_file() {
    let files = [("src/a.h", "#if 1\na\n"), ("src/b.h", "f"), ("src/c.h", "f(1")];
    let run = run_with(
        "#include \"a.h\"\n#define f(x) [x]\n#include \"b.h\"\n(1)\n#include \"c.h\"\n)",
        &Options::default(),
        &files,
    );
    assert_eq!(run.codes(), ["unterminated-conditional", "unterminated-call"]);
    assert_eq!(run.result.text, "a\nf\n(1)\nf(1\n)\n");
}

#[test]
fn headers_are_found_in_the_folders_around_a_file() {
    let include = "#include \"x.h\"\n";
    let found = |files: &[(&str, &str)]| {
        let run = run_with(include, &Options::default(), files);
        (run.result.text.trim().to_owned(), run.codes().join(" "))
    };
    let around = |text: &str| (text.to_owned(), "include-around".to_owned());
    assert_eq!(found(&[("include/x.h", "a")]), around("a"));
    assert_eq!(found(&[("../common/inc/x.h", "a")]), around("a"));
    // The nearest one, and before all the one beside the file.
    assert_eq!(found(&[("include/x.h", "a"), ("../include/x.h", "b")]), around("a"));
    assert_eq!(found(&[("src/x.h", "c"), ("include/x.h", "a")]), ("c".to_owned(), String::new()));
    // Not outside of the repository, nor in any folder.
    assert_eq!(found(&[(".git/HEAD", "ref"), ("../include/x.h", "b")]).1, "include-missing");
    assert_eq!(found(&[("other/x.h", "b")]).1, "include-missing");
    // In any folder of a repository that is known, where nothing else can be meant.
    let root = (".git/HEAD", "ref");
    assert_eq!(found(&[root, ("other/x.h", "b")]), around("b"));
    assert_eq!(found(&[root, ("a/x.h", "b"), ("c/x.h", "b")]), around("b"));
    assert_eq!(found(&[root, ("a/x.h", "b"), ("c/x.h", "d")]).1, "include-missing");
    assert_eq!(found(&[root, ("a/yx.h", "b"), ("../c/x.h", "d")]).1, "include-missing");
    // What a makefile beside the source names goes first; what its variables stand for is not known.
    let makefile = ("src/Makefile", "CFLAGS := -O3 \\\n  -I../other -I $(HOME)/include -I.\n");
    assert_eq!(found(&[makefile, ("other/x.h", "b"), ("include/x.h", "a")]), around("b"));
    assert_eq!(found(&[("src/Makefile", "CFLAGS += -I$(ROOT)/other"), ("other/x.h", "b")]).1, "include-missing");
    // A project's own headers may begin like those of the platform; those of the platform are not looked for.
    let of_project = ["cuda_utils.h", "cudamatrix/dim.h", "cublas_utils.h", "helper_own.h"];
    of_project.iter().for_each(|name| {
        let (include, header) = (format!("#include \"{name}\"\n"), format!("../include/{name}"));
        let run = run_with(&include, &Options::default(), &[(header.as_str(), "a")]);
        assert_eq!((run.result.text.trim(), run.codes()), ("a", vec!["include-around"]), "{name}");
    });
    ["cuda_runtime.h", "cublas_v2.h", "cub/cub.cuh", "helper_math.h"].iter().for_each(|name| {
        let (include, header) = (format!("#include <{name}>\n"), format!("../include/{name}"));
        let files = if *name == "cublas_v2.h" { vec![] } else { vec![(header.as_str(), "a")] };
        let run = run_with(&include, &Options::default(), &files);
        assert_eq!((run.result.text.trim(), run.codes()), ("", Vec::new()), "{name}");
    });
    assert_eq!(run_with("#include \"cuda_utils.h\"\n", &Options::default(), &[]).codes(), ["include-missing"]);
    let named = Options { include_dirs: vec![PathBuf::from("inc2")], ..Options::default() };
    let run = run_with(include, &named, &[("inc2/x.h", "d"), ("include/x.h", "a")]);
    assert_eq!((run.result.text.trim(), run.codes()), ("d", Vec::new()));
}

#[test]
fn include_cycles_end() {
    let files = [("src/a.h", "#include \"b.h\"\na\n"), ("src/b.h", "#include \"a.h\"\nb\n")];
    let run = run_with("#include \"a.h\"\nc", &Options::default(), &files);
    assert_eq!(run.errors(), ["`a.h` includes itself without end: src/a.h -> src/b.h -> src/a.h"]);
    assert!(run.result.text.ends_with("c\n"));
    let run = run_with("#include __FILE__\nc", &Options::default(), &[]);
    assert_eq!(
        run.codes(),
        ["include-around", "include-depth"],
        "__FILE__ is a path from the working directory, which is around the file"
    );
    let run = run_with("#include \"a.cu\"\n#include \"a.cu\"\nc", &Options::default(), &[]);
    assert_eq!(run.errors().len(), 1);
    assert_eq!(run.codes(), ["include-depth"]);
}

#[test]
fn a_file_may_include_itself_to_a_finite_depth() {
    let text = "#ifndef N\n#define N 1\n#include \"a.cu\"\nend\n#elif N == 1\n#undef N\n#define N 2\n#include \"a.cu\"\n#else\ndeep\n#endif\n";
    let run = run(text);
    assert_eq!((run.result.text.as_str(), run.codes()), ("deep\nend\n", vec![]));
}

#[test]
fn exponential_includes_end() {
    let names: Vec<(String, String)> = (0..40)
        .map(|i| (format!("src/h{i}.h"), format!("#include \"h{0}.h\"\n#include \"h{0}.h\"\n", i + 1)))
        .chain([("src/h40.h".to_string(), "x\n".to_string())])
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = run_with("#include \"h0.h\"\n", &Options::default(), &files);
    assert_eq!(run.codes(), ["expansion-limit"]);
}

#[test]
fn other_bytes_than_utf8_are_replaced() {
    let mut memory = MemoryFiles::default();
    memory.add("b.h", b"\xff\xfe \0 b".as_slice());
    let mut sources = SourceMap::default();
    let root = sources.add("a.cu", "\u{feff}#include \"b.h\"\n\0\u{1}c\0d");
    let result = preprocess(&mut sources, root, &Options::default(), &memory);
    assert_eq!(result.text, "\u{1a}\u{1a} b\n\u{1}c d\n");
}

#[test]
fn built_in_macros() {
    table(&[
        ("__LINE__\n\n__LINE__ /*\n*/ __LINE__", "1 3 4"),
        ("__FILE__", "\"src/a.cu\""),
        ("__COUNTER__ __COUNTER__\n#define c(a, b) a##b\n#define d(a, b) c(a, b)\nd(x, __COUNTER__)", "0 1 x2"),
        ("#define L __LINE__\nL\nL", "2 3"),
        ("#undef __LINE__\n__LINE__", "__LINE__"),
        ("__INCLUDE_LEVEL__ __has_include", "0 __has_include"),
    ]);
}

#[test]
fn pragmas_are_kept_apart() {
    let text =
        "#define N 4\nint a;\n#pragma unroll N\nfor (;;) _Pragma(\"omp \\\"x\\\"\") ; /* */ #pragma no\n#pragma\n";
    let run = run(text);
    assert_eq!(run.result.text, "int a;\nfor (;;) ; #pragma no\n");
    let pragmas: Vec<_> = run.result.pragmas.iter().map(|p| (p.text.as_str(), p.expanded.as_str(), p.offset)).collect();
    assert_eq!(pragmas, [("unroll N", "unroll 4", 6), ("omp \"x\"", "omp \"x\"", 15), ("", "", 28)]);
    assert_eq!(run.sources.snippet(run.result.pragmas[0].at), "#pragma unroll N");
    assert_eq!(run.sources.snippet(run.result.pragmas[1].at), "_Pragma");
    let run = run_with("#define P(x) _Pragma(#x) f();\nP(unroll 3)", &Options::default(), &[]);
    assert_eq!((run.result.text.as_str(), run.result.pragmas[0].text.as_str()), ("f();\n", "unroll 3"));
}

#[test]
fn definitions_from_the_command_line() {
    let define = |name: &str, value: Option<&str>| (name.to_string(), value.map(str::to_string));
    let options = Options {
        defines: vec![
            define("A", None),
            define("B", Some("x y")),
            define("F(a)", Some("[a]")),
            define("__CUDA_ARCH__", Some("900")),
            define("E", Some("")),
            define("X\n#error no", Some("1\n#error no")),
        ],
        predefined: CUDA_PREDEFINED,
        ..Options::default()
    };
    let run = run_with("A B F(1) E __CUDA_ARCH__ INT_MAX X\n#define NULL nullptr\nNULL", &options, &[]);
    assert_eq!(run.result.text, "1 x y [1] 900 2147483647 1\nnullptr\n");
    assert_eq!(run.codes(), [""; 0]);
}

#[test]
fn predefined_macros_are_well_formed() {
    for predefined in [CUDA_PREDEFINED, OPENCL_PREDEFINED] {
        let options = Options { predefined, ..Options::default() };
        let names: Vec<&str> = predefined.iter().map(|(name, _)| *name).collect();
        let run = run_with(&names.join("\n"), &options, &[]);
        assert_eq!(run.codes(), [""; 0]);
        for name in names {
            assert!(!run.result.text.split_whitespace().any(|word| word == name), "{name} is not expanded");
        }
    }
    let options = Options { predefined: OPENCL_PREDEFINED, ..Options::default() };
    let run = run_with("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", &options, &[]);
    assert_eq!(run.result.text, "1 | 2\n");
}

#[test]
fn tokens_never_stick_together() {
    table(&[
        ("#define E\n+E+ -E- <E< /E/ /E* .E. 1E.x a", "+ + - - < < / / / * . . 1E.x a"),
        ("#define P +\n+P -P P+ P=", "+ + -+ + + + ="),
        ("#define f(x) x\n-f(-)1 f(a)f(b) f(1)f(.5) f(\"a\")f(b) f(u8)f(\"a\")", "- -1 a b 1 .5 \"a\" b u8 \"a\""),
        ("#define M -1\na-M 1eM", "a- -1 1eM"),
        ("#define f(x) (x)\nf(a)b f()", "(a)b ()"),
    ]);
    assert_eq!(run("#define f(x) x\nf(x->y) f(a+=b)").result.text, "x->y a+=b\n");
}

#[test]
fn origins_lead_back_to_the_user() {
    let none = Vec::<String>::new;
    let run = run(
        "#define N (64 + 1)\n#define IDX(x, y) ((y) * N + x)\na[IDX(tid, 7)] = b;\n#define L(p) p[IDX(i, 2)]\nL(q);\n",
    );
    assert_eq!(run.result.text, "a[((7) * (64 + 1) + tid)] = b;\nq[((2) * (64 + 1) + i)];\n");
    assert_eq!(run.origin("a["), ("a[", "a[", none()));
    assert_eq!(run.origin("= b"), ("= b", "= b", none()));
    assert_eq!(run.origin("tid"), ("tid", "tid", none()));
    assert_eq!(run.origin("7"), ("7", "7", none()));
    assert_eq!(run.origin("*"), ("IDX(tid, 7)", "*", vec!["IDX".to_string()]));
    assert_eq!(run.origin("64"), ("IDX(tid, 7)", "64", vec!["IDX".to_string(), "N".to_string()]));
    assert_eq!(run.origin("64 + 1"), ("IDX(tid, 7)", "64 + 1", vec!["IDX".to_string(), "N".to_string()]));
    assert_eq!(run.origin("* (64"), ("IDX(tid, 7)", "* N", vec!["IDX".to_string()]));
    assert_eq!(run.origin("((7) * (64 + 1) + tid)"), ("IDX(tid, 7)", "((y) * N + x)", vec!["IDX".to_string()]));
    assert_eq!(run.origin("a[((7) * (64 + 1) + tid)] ="), ("a[IDX(tid, 7)] =", "a[IDX(tid, 7)] =", none()));
    assert_eq!(run.origin("q"), ("q", "q", none()));
    assert_eq!(run.origin("2"), ("L(q)", "2", vec!["L".to_string()]));
    assert_eq!(run.origin("q[((2)"), ("L(q)", "L(q)", none()));
}

#[test]
fn made_tokens_have_an_origin_too() {
    let run = run("#define c(a, b) a##b\n#define s(x) # x\n#define l __LINE__\nc(x, 1) s(y z) l ab\\\ncd");
    assert_eq!(run.result.text, "x1 \"y z\" 4 abcd\n");
    assert_eq!(run.origin("x1"), ("c(x, 1)", "a##b", vec!["c".to_string()]));
    assert_eq!(run.origin("\"y z\""), ("s(y z)", "# x", vec!["s".to_string()]));
    assert_eq!(run.origin("4"), ("l", "__LINE__", vec!["l".to_string()]));
    assert_eq!(run.origin("abcd"), ("ab\\\ncd", "ab\\\ncd", vec![]));
}

#[test]
fn every_range_has_an_origin() {
    let run = run("#define N 1\nN\n");
    let text = run.result.text.len();
    for start in 0..text + 2 {
        for end in 0..text + 2 {
            assert_eq!(run.sources.snippet(run.result.origins.origin(start, end).span), "N");
        }
    }
    let empty = run_with("", &Options::default(), &[]);
    assert_eq!(empty.result.origins.origin(3, 4).span, Span::new(empty.root, 0, 0));
}

#[test]
fn tokens_of_included_files_are_there() {
    let run = run_with("#include \"b.h\"\nN", &Options::default(), &[("src/b.h", "#define N bee\nsee")]);
    let see = run.result.origins.origin(0, 3);
    assert_eq!((run.sources.path(see.span.file), see.spelled), (PathBuf::from("src/b.h").as_path(), see.span));
    assert_eq!(run.origin("bee"), ("N", "bee", vec!["N".to_string()]));
}

#[test]
fn macros_without_end_stop() {
    let mut doubling: String = (0..40).map(|i| format!("#define a{i} a{0} a{0}\n", i + 1)).collect();
    doubling.push_str("before\na0\nafter");
    let run = stops(&doubling, "expansion-limit");
    assert_eq!(run.result.text, "before\n");
    assert_eq!(run.only_remark().1, "a0");

    let nested = |define: &str, name: &str, levels: usize| {
        format!("{define}\n{}x{}\n", format!("{name}(").repeat(levels), ")".repeat(levels))
    };
    stops(&nested("#define f(x) x x", "f", 60), "expansion-limit");
    stops(&nested("#define f(x) x", "f", 100_000), "expansion-limit");
    stops(&nested("#define c(x) x##x\n#define f(x) c(x)", "f", 100), "expansion-limit");
    stops(&nested("#define s(x) #x\n#define f(x) s(x \"\")", "f", 100), "expansion-limit");
    stops(&nested("#define f(...) __VA_OPT__(__VA_ARGS__ __VA_ARGS__)", "f", 60), "expansion-limit");
    let chain: String = (0..10_000).map(|i| format!("#define a{i} a{}\n", i + 1)).collect();
    stops(&format!("{chain}a0"), "expansion-limit");
    let long = "x".repeat(100_000);
    stops(
        &format!(
            "#define a \"{long}\"\n#define b a a a a a a a a a a\n#define c b b b b b b b b b b\n#pragma c c c c c c c c c c c c"
        ),
        "expansion-limit",
    );
}

#[test]
fn too_much_text_stops() {
    let limits = Limits { output_bytes: 1000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let run = run_with(&"word ".repeat(500), &options, &[]);
    assert_eq!(run.codes(), ["output-limit"]);
    assert!(run.result.text.len() <= 1001);
    let long = "x".repeat(100_000);
    stops(
        &format!(
            "#define a {long}\n#define b a a a a a a a a a a\n#define c b b b b b b b b b b\n#define d c c c c c\nd"
        ),
        "output-limit",
    );
}

#[test]
fn evil_texts_end_without_overflow() {
    for (piece, code) in [
        ("f(", "unterminated-call"),
        ("f(\n#if 1\n", "unterminated-call"),
        ("_Pragma(", "bad-pragma"),
        ("#if 1\n", "unterminated-conditional"),
        ("#if 0\n", "unterminated-conditional"),
        ("#else\n", "stray-conditional"),
        ("\"\n", "unterminated-literal"),
        ("R\"x(", "unterminated-literal"),
        ("#nonsense\n", "unknown-directive"),
        ("#include\n", "bad-include"),
        ("#define f(x) __VA_OPT__( #\n", "bad-define"),
        ("/*", "unterminated-comment"),
    ] {
        stops(&format!("#define f(x) x\n{}", piece.repeat(100_000)), code);
    }
    for (start, piece, code) in [
        ("#if ", "(", "bad-condition"),
        ("#if ", "!", "bad-condition"),
        ("#if ", "1 ? ", "bad-condition"),
        ("#if ", "1 +", "bad-condition"),
        ("#if ", "defined ", "bad-condition"),
        ("#if ", "__has_include(", "bad-condition"),
        ("#define f(...) ", "__VA_OPT__(", "bad-define"),
        ("#define f(...) ", "a ## ", "bad-define"),
        ("#define f(", "a, ", "bad-define"),
        ("#define f(x) ", "#x #", "bad-define"),
    ] {
        stops(&format!("{start}{}", piece.repeat(100_000)), code);
    }
    let parameters: Vec<String> = (0..50_000).map(|i| format!("p{i}")).collect();
    let list = parameters.join(",");
    let run = run(&format!("#define f({list}) {}\nf({list})", parameters.join(" ")));
    assert_eq!(run.codes(), [""; 0]);
    assert!(run.result.text.starts_with("p0 p1 p2 "));
}

#[test]
fn long_texts_take_linear_time() {
    let start = Instant::now();
    for piece in [
        "\\",
        "\\\n",
        "\\ ",
        "'",
        "\"\\\n",
        "R\"",
        "R\"(",
        "a/**/",
        "f\n",
        "f/*(*/",
        "__LINE__ ",
        "\u{fffd}x",
        "é+",
        "1'",
        "..",
        "\0",
        "#",
        "#\n",
        "%:",
    ] {
        let run = run(&format!("#define f(x) x\n{}", piece.repeat(300_000)));
        assert!(run.result.text.len() <= 10_000_000);
    }
    // A generator of random bytes, always the same ones.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
    .take(10_000_000)
    .collect();
    run(&String::from_utf8_lossy(&bytes));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn the_same_input_gives_the_same_output() {
    let text = "#define f(x) __COUNTER__ x\nf(1) f(2) __DATE__ __TIME__ \"\n#include \"no.h\"\n";
    let (a, b) = (run(text), run(text));
    assert_eq!((a.result.text, a.result.remarks), (b.result.text, b.result.remarks));
}
