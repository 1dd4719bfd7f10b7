//! What libraries declare that kernels are written with, for sources whose headers are not there.

/// What is to be read before a source with this text: `None` when it names nothing of that, or declares it itself.
pub fn needed_by(expanded: &str) -> Option<String> {
    let name = "TensorAccessor";
    let mentions = expanded.match_indices(name).map(|(at, _)| expanded.get(..at).unwrap_or(""));
    let mut before = mentions.map(|text| text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim_end());
    let declares = |text: &str| ["class", "struct"].iter().any(|word| text.ends_with(word));
    if !expanded.contains(name) || before.any(declares) {
        return None;
    }
    let declared = include_str!("tensor.h");
    let is_opened = expanded.match_indices("namespace").any(|(at, word)| {
        let rest = expanded.get(at + word.len()..).unwrap_or("").trim_start();
        rest.strip_prefix("torch").is_some_and(|rest| rest.trim_start().starts_with(['{', ':']))
    });
    // A name of a namespace hides no other one of that name.
    let torch = if is_opened {
        declared.replace("namespace at", "namespace torch")
    } else {
        "namespace torch = at;\n".to_owned()
    };
    Some(format!("{declared}{torch}"))
}
