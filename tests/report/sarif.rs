use expect_test::expect;
use serde_json::Value;

use crate::fixtures::*;
use faial_like::report::finding::*;
use faial_like::report::{Format, RenderOptions, render};

fn sarif(report: &Report) -> Value {
    let text = render(report, Format::Sarif, &RenderOptions::default());
    serde_json::from_str(&text).expect("the report is JSON")
}

fn array<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[test]
fn every_result_names_a_rule_a_level_and_a_place() {
    let log = sarif(&everything());
    assert_eq!((&log["version"], log["runs"].as_array().map(Vec::len)), (&"2.1.0".into(), Some(1)));
    let rules = array(&log, "/runs/0/tool/driver/rules");
    let results = array(&log, "/runs/0/results");
    let all = everything();
    let expected: usize = all.kernels.iter().map(|k| k.findings.len() + k.reasons.len()).sum();
    assert_eq!(results.len(), expected);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap_or_default()), "{result}");
        assert!(result.pointer("/locations/0/physicalLocation/artifactLocation/uri").is_some(), "{result}");
        assert!(result.pointer("/message/text").is_some(), "{result}");
    }
    for rule in rules {
        assert!(rule.pointer("/help/text").is_some(), "no explanation of {rule}");
    }
}

#[test]
fn a_confirmed_finding_is_an_error_and_carries_its_id() {
    let log = sarif(&report(vec![scan(), flag(), gather()]));
    let levels: Vec<_> = array(&log, "/runs/0/results").iter().map(|r| (&r["ruleId"], &r["level"])).collect();
    let expected: Vec<(Value, Value)> = [
        ("data-race", "error"),
        ("same-value-race", "warning"),
        ("data-race", "warning"),
        ("unknown-call", "note"),
        ("solver-unknown", "note"),
    ]
    .map(|(rule, level)| (rule.into(), level.into()))
    .to_vec();
    assert_eq!(levels, expected.iter().map(|(r, l)| (r, l)).collect::<Vec<_>>());
    assert_eq!(
        log.pointer("/runs/0/results/0/partialFingerprints"),
        Some(&serde_json::json!({ "faialLikeFindingId/v1": "r-5d1c9e02" }))
    );
}

#[test]
fn files_that_failed_are_notifications_of_an_unsuccessful_run() {
    let log = sarif(&everything());
    assert_eq!(log.pointer("/runs/0/invocations/0/executionSuccessful"), Some(&false.into()));
    let codes: Vec<_> = array(&log, "/runs/0/invocations/0/toolExecutionNotifications")
        .iter()
        .filter_map(|n| n.pointer("/descriptor/id").and_then(Value::as_str))
        .collect();
    assert_eq!(codes, ["include-missing", "not-text", "no-kernels"]);
    let fine = sarif(&report(vec![scale()]));
    assert_eq!(fine.pointer("/runs/0/invocations/0/executionSuccessful"), Some(&true.into()));
}

/// A place that spans lines ends on the last of them, which only the text tells.
#[test]
fn a_place_over_several_lines_ends_on_the_last() {
    let place = at("scan.cu", SCAN, "if (t >= d)\n      tile[t]", 0);
    let mut kernel = kernel("scan", 3, Verdict::Inconclusive);
    kernel.reasons = vec![message("unknown-construct", "not understood", Some(place))];
    let region = sarif(&report(vec![kernel]));
    let region = region.pointer("/runs/0/results/0/locations/0/physicalLocation/region");
    let expected = serde_json::json!({ "startLine": 8, "startColumn": 5, "endLine": 9, "endColumn": 14 });
    assert_eq!(region, Some(&expected));
}

#[test]
fn one_result() {
    let log = sarif(&histogram());
    let result = log.pointer("/runs/0/results/0").expect("a result");
    expect![[r#"
        {
          "level": "error",
          "locations": [
            {
              "logicalLocations": [
                {
                  "kind": "function",
                  "name": "histogram"
                }
              ],
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "bins.cuh"
                },
                "region": {
                  "endColumn": 10,
                  "startColumn": 3,
                  "startLine": 2
                }
              }
            }
          ],
          "message": {
            "text": "data race in `histogram` on `bins[0]`: a write and a read by two threads of the same warp; confirmed: replayed with these values"
          },
          "partialFingerprints": {
            "faialLikeFindingId/v1": "r-12345678"
          },
          "properties": {
            "array": "bins",
            "blockDim": "(256,1,1)",
            "class": "confirmed",
            "gridDim": "(1,1,1)",
            "level": "warp",
            "params": {},
            "values": {
              "data[3]": "0"
            }
          },
          "relatedLocations": [
            {
              "id": 0,
              "message": {
                "text": "write by thread (3,0,0), block (0,0,0)"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "bins.cuh"
                },
                "region": {
                  "endColumn": 10,
                  "startColumn": 3,
                  "startLine": 2
                }
              }
            },
            {
              "id": 1,
              "message": {
                "text": "called here by thread (3,0,0), block (0,0,0)"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "histogram.cu"
                },
                "region": {
                  "endColumn": 31,
                  "startColumn": 3,
                  "startLine": 3
                }
              }
            },
            {
              "id": 2,
              "message": {
                "text": "read by thread (0,0,0), block (0,0,0)"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "histogram.cu"
                },
                "region": {
                  "endColumn": 27,
                  "startColumn": 20,
                  "startLine": 4
                }
              }
            }
          ],
          "ruleId": "data-race",
          "ruleIndex": 1
        }
    "#]].assert_eq(&format!("{result:#}\n"));
}
