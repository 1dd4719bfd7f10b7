use expect_test::expect;

use crate::fixtures::*;
use faial_like::report::finding::*;
use faial_like::report::{Format, RenderOptions, render};

fn html(report: &Report) -> String {
    render(report, Format::Html, &RenderOptions::default())
}

/// The tags of a page in order, checked to nest; text between them must hold no bare markup.
fn tags(page: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = page.split_once("</style>").map_or(page, |(_, rest)| rest);
    open.extend(["html", "head"].map(str::to_owned));
    while let Some((text, tail)) = rest.split_once('<') {
        assert!(!text.contains('>'), "a bare > in {text:?}");
        let (tag, tail) = tail.split_once('>').expect("a tag ends");
        assert!(!tag.contains('<'), "a bare < in {tag:?}");
        let name = tag.split_whitespace().next().unwrap_or_default().to_owned();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed), "tags nest"),
            None => open.push(name.clone()),
        }
        all.push(name);
        rest = tail;
    }
    assert_eq!(open, Vec::<String>::new());
    all
}

#[test]
fn a_page_is_well_formed_and_loads_nothing() {
    let page = html(&everything());
    let tags = tags(&page);
    assert!(tags.iter().any(|t| t == "mark"));
    for forbidden in ["<script", "<link", "<img", "src=", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for kernel in everything().kernels {
        for finding in kernel.findings {
            assert!(page.contains(&format!("id=\"{}\"", finding.id)));
        }
    }
}

#[test]
fn every_text_from_outside_is_escaped() {
    const EVIL: &str = "<script>alert('x')</script>\"&";
    let source = format!("x{EVIL}\ny{EVIL}\n");
    let evil = |text: &str| text.to_owned() + EVIL;
    let place = Location { path: evil("path"), line: 1, column: 1, end_column: 9, start: 0, end: 8 };
    let mut accesses = access(place.clone(), AccessMode::Write, 0, 0, &[0]);
    accesses.calls = vec![place.clone()];
    accesses.locals = values(&[(EVIL, 1)]);
    let mut race = finding(&evil("id"), &evil("array"), vec![accesses.clone(), accesses]);
    race.class = FindingClass::Possible;
    race.reason = Some(evil("reason"));
    race.help = Some(evil("help"));
    race.witness.params = values(&[(EVIL, 1)]);
    race.witness.values = values(&[(EVIL, 1)]);
    let mut kernel = kernel(EVIL, 1, Verdict::Racy);
    kernel.path = evil("path");
    kernel.assumptions = vec![evil("assumption")];
    kernel.findings = vec![race];
    kernel.reasons = vec![Message { help: Some(evil("help")), ..message("unknown-call", EVIL, Some(place)) }];
    let mut file = file(&evil("path"), &source, FileStatus::Partial);
    file.messages = vec![message("parse-error", EVIL, None)];
    let page =
        html(&Report { files: vec![file], messages: vec![message("no-kernels", EVIL, None)], ..report(vec![kernel]) });
    assert!(!page.contains("<script"));
    assert!(!page.contains("alert('x')"));
    tags(&page);
}

#[test]
fn an_excerpt_marks_the_accesses_and_says_what_they_do() {
    let page = html(&report(vec![scan()]));
    let start = page.find("<section").unwrap_or_default();
    expect![[r#"
        <section class="finding" id="r-5d1c9e02">
        <h3 class="bad">data race in `scan` on `tile[0]`: a write and a read by two threads of the same block</h3>
        <p class="place">scan.cu:6:3</p>
        <table class="source">
        <tr><td class="n">4</td><td><pre>  __shared__ int tile[256];</pre></td></tr>
        <tr><td class="n">5</td><td><pre>  int t = threadIdx.x;</pre></td></tr>
        <tr><td class="n">6</td><td><pre>  <mark class="m0">tile[t]</mark> = in[t];</pre><div class="note m0">write by thread (0,0,0), block (0,0,0)</div></td></tr>
        <tr><td class="n">7</td><td><pre>  for (int d = 1; d &lt; n; d *= 2) {</pre></td></tr>
        <tr><td class="n">8</td><td><pre>    if (t &gt;= d)</pre></td></tr>
        <tr><td class="n">9</td><td><pre>      tile[t] += <mark class="m1">tile[t - d]</mark>;</pre><div class="note m1">read by thread (1,0,0), block (0,0,0)</div></td></tr>
        <tr><td class="n">10</td><td><pre>    __syncthreads();</pre></td></tr>
        <tr><td class="n">11</td><td><pre>  }</pre></td></tr>
        </table>
        <dl>
        <dt>Class</dt><dd>confirmed: replayed with these values</dd>
        <dt>Where</dt><dd>d = 1 in thread (1,0,0), block (0,0,0)</dd>
        <dt>Value</dt><dd>n = 2</dd>
        <dt>Launch</dt><dd>block (256,1,1), grid (1,1,1)</dd>
        <dt>Help</dt><dd>put `__syncthreads();` between line 6 and line 9</dd>
        <dt>Id</dt><dd>r-5d1c9e02</dd>
        <dt>Code</dt><dd>data-race</dd>
        </dl>
        </section>
        </body>
        </html>
    "#]].assert_eq(&page[start..]);
}
