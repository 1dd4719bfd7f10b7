//! The text of source files.

/// The text of the bytes of a file. A byte that is not part of UTF-8 text becomes the control character SUB, which is one
/// byte as well: places and the lengths of strings stay what a compiler takes them for. Older encodings are found in
/// comments mostly; anywhere else the character is an error of the parser, as it is one of a compiler.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
        }
        text
    })
}

/// Is this no text in any encoding that a compiler reads: not UTF-8, and with NUL bytes?
pub fn is_binary(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err() && bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf8_keeps_its_length() {
        assert_eq!(text_of("int ä;".into()), "int ä;");
        assert_eq!(text_of(b"// \xe9t\xe9\nint a;".to_vec()), "// \u{1a}t\u{1a}\nint a;");
        assert_eq!(text_of(b"\xe6\x97".to_vec()), "\u{1a}\u{1a}");
        assert!(is_binary(b"\x7fELF\0\xe9") && is_binary(b"\xff\xfei\0n\0t\0"));
        assert!(!is_binary(b"int a; // \xe9") && !is_binary(b"int\0 a;"));
    }
}
