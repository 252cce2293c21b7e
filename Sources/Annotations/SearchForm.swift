import Foundation

extension String {
    /// The form in which texts are searched: lower case, and one spelling of each letter with accents. Ids are never
    /// compared in this form.
    package var searchForm: String { lowercased().composed }

    /// The text in Normalization Form C (Unicode Standard Annex 15). Keyboards, PDFs and file systems differ in how they
    /// spell *é*. A letter with dozens of marks stays as it is.
    ///
    /// Foundation takes a time that grows with the square of the length, so it gets pieces. Nothing is composed across the
    /// bounds of a `Character`.
    package var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var (form, piece) = ("", "")
        form.reserveCapacity(utf8.count)
        func finish() {
            form += piece.utf8.allSatisfy { $0 < 0x80 } ? piece : piece.precomposedStringWithCanonicalMapping
            piece = ""
        }
        for character in self {
            if character.utf8.count > Self.maxPiece {
                finish()
                form.append(character)
                continue
            }
            piece.append(character)
            if piece.utf8.count >= Self.maxPiece { finish() }
        }
        finish()
        return form
    }

    /// In bytes.
    private static let maxPiece = 128

    /// Whether the text begins with another one, however both spell their letters. A part of a `Character` counts.
    package func begins(inAnySpelling text: String) -> Bool {
        begins(with: text) || composed.begins(with: text.composed)
    }
}
