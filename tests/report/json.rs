use std::collections::BTreeSet;

use expect_test::expect;
use serde_json::Value;

use crate::fixtures::*;
use faial_like::report::finding::*;
use faial_like::report::{Format, RenderOptions, render};

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-spec/output.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there")).expect("the schema is JSON")
}

pub fn json(report: &Report) -> Value {
    let text = render(report, Format::Json, &RenderOptions::default());
    serde_json::from_str(&text).expect("the report is JSON")
}

/// Everything that the schema finds wrong with a report.
pub fn violations(report: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    validator.iter_errors(report).map(|e| format!("{}: {e}", e.instance_path)).collect()
}

#[test]
fn reports_keep_to_the_schema() {
    let reports = [
        Report::default(),
        report(vec![]),
        report(vec![scan()]),
        report(vec![flag(), early()]),
        report(vec![gather(), scale()]),
        histogram(),
        everything(),
    ];
    for report in reports {
        assert_eq!(violations(&json(&report)), Vec::<String>::new());
    }
}

/// A schema that allowed anything would make the test above worthless.
#[test]
fn the_schema_refuses_what_is_not_in_the_contract() {
    let good = json(&everything());
    type Spoil = fn(&mut Value);
    let spoil: [(&str, Spoil); 8] = [
        ("an unknown key", |r| r["summary"]["extra"] = 1.into()),
        ("an unknown verdict", |r| r["kernels"][0]["verdict"] = "fine".into()),
        ("a launch of two dimensions", |r| r["kernels"][0]["launch"]["block"] = Value::from(vec![1, 2])),
        ("a symbolic dimension by another name", |r| r["kernels"][0]["launch"]["grid"][0] = "?".into()),
        ("a missing witness", |r| {
            r["kernels"][0]["findings"][0].as_object_mut().map(|f| f.remove("witness"));
        }),
        ("a value that is text", |r| r["kernels"][0]["findings"][0]["witness"]["params"]["n"] = "2".into()),
        ("another version", |r| r["version"] = 2.into()),
        ("a code with a space", |r| r["messages"][0]["code"] = "no kernels".into()),
    ];
    for (what, spoil) in spoil {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert_ne!(violations(&bad), Vec::<String>::new(), "{what}");
    }
}

/// The fixture that claims to show every enum value does: each one that the schema lists occurs in it.
#[test]
fn every_value_of_the_contract_occurs_in_the_fixture() {
    let mut listed = BTreeSet::new();
    collect(&schema(), &mut |key, value| {
        if let ("enum", Value::Array(values)) = (key, value) {
            listed.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
        }
    });
    let mut shown = BTreeSet::new();
    let mut shown_in = everything();
    // The text of a confirmed one is in other tests.
    if let Some(first) = shown_in.kernels.iter_mut().flat_map(|k| &mut k.findings).next() {
        first.replay = Some(Replay::Kernel(Ran::Threads));
    }
    collect(&json(&shown_in), &mut |_, value| shown.extend(value.as_str().map(str::to_owned)));
    assert_eq!(listed.difference(&shown).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn collect(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            visit(key, value);
            collect(value, visit);
        }),
        Value::Array(values) => values.iter().for_each(|value| collect(value, visit)),
        _ => {}
    }
}

#[test]
fn the_summary_counts_add_up() {
    let summary = &json(&everything())["summary"];
    let count = |key: &str| summary[key].as_u64().expect("a count");
    let verdicts = ["race_free", "same_value", "racy", "inconclusive", "no_accesses", "vacuous", "rejected"];
    assert_eq!(verdicts.into_iter().map(count).sum::<u64>(), count("kernels"));
    assert_eq!((count("files"), count("failed_files")), (3, 1));
}

#[test]
fn a_time_that_is_no_number_is_no_time() {
    let report = Report { time_ms: f64::NAN, ..Report::default() };
    assert_eq!(json(&report)["summary"]["time_ms"], 0.0);
}

#[test]
fn one_race() {
    expect![[r#"
        {
          "version": 1,
          "files": [
            {
              "path": "scan.cu",
              "status": "ok",
              "messages": []
            }
          ],
          "kernels": [
            {
              "name": "scan",
              "path": "scan.cu",
              "line": 3,
              "verdict": "racy",
              "reasons": [],
              "launch": {
                "block": [
                  256,
                  1,
                  1
                ],
                "grid": [
                  "*",
                  1,
                  1
                ],
                "from": "launch-site"
              },
              "assumptions": [],
              "findings": [
                {
                  "id": "r-5d1c9e02",
                  "code": "data-race",
                  "kind": "race",
                  "class": "confirmed",
                  "text": "data race in `scan` on `tile[0]`: a write and a read by two threads of the same block",
                  "array": "tile",
                  "level": "block",
                  "accesses": [
                    {
                      "path": "scan.cu",
                      "line": 6,
                      "column": 3,
                      "end_column": 10,
                      "mode": "write",
                      "thread": [
                        0,
                        0,
                        0
                      ],
                      "block": [
                        0,
                        0,
                        0
                      ],
                      "index": [
                        0
                      ],
                      "calls": [],
                      "locals": {}
                    },
                    {
                      "path": "scan.cu",
                      "line": 9,
                      "column": 18,
                      "end_column": 29,
                      "mode": "read",
                      "thread": [
                        1,
                        0,
                        0
                      ],
                      "block": [
                        0,
                        0,
                        0
                      ],
                      "index": [
                        0
                      ],
                      "calls": [],
                      "locals": {
                        "d": 1
                      }
                    }
                  ],
                  "witness": {
                    "params": {
                      "n": 2
                    },
                    "block_dim": [
                      256,
                      1,
                      1
                    ],
                    "grid_dim": [
                      1,
                      1,
                      1
                    ],
                    "values": {}
                  },
                  "by": null,
                  "ran": null,
                  "not_run": null,
                  "reason": null,
                  "help": "put `__syncthreads();` between line 6 and line 9"
                }
              ],
              "time_ms": 1.25,
              "queries": 2,
              "presolved": {}
            }
          ],
          "messages": [],
          "summary": {
            "kernels": 1,
            "race_free": 0,
            "same_value": 0,
            "racy": 1,
            "inconclusive": 0,
            "no_accesses": 0,
            "vacuous": 0,
            "rejected": 0,
            "files": 1,
            "failed_files": 0,
            "time_ms": 12.5
          }
        }
    "#]]
    .assert_eq(&render(&report(vec![scan()]), Format::Json, &RenderOptions::default()));
}
