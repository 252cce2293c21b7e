/// Why a text names neither keys nor a style, with the part that is wrong.
package struct NotationError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(key text: String, reason: String) {
        description = "\"\(text)\" is not a valid key: \(reason)"
    }

    init(style word: String) {
        description =
            "\(word.debugDescription) is not a colour (red, bright-blue, 208, #d7875f, normal), bold, dim, underline, "
            + "reverse or italic"
    }
}
