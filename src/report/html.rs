pub(super) fn render(_: &super::Report) -> String {
    String::new()
}
