/// Texts whose first scalar joins the character before it, or whose scalars otherwise make other characters than they
/// seem to: what looks at characters misreads them.
package enum AwkwardText {
    package static let all = [
        "\u{308}u is an umlaut whose letter is gone", "\u{301}", "\u{200D}joined", "\u{FE0F}", "\u{1F3FD}", "\u{20DD}x",
        // A consonant sign that joins the character after it, and a regional indicator.
        "\u{D4E}", "\u{1F1E9}\u{1F1EA}",
        // The same letter as one scalar and as two.
        "caf\u{E9}", "cafe\u{301}",
    ]
}
