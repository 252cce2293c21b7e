import Annotations

/// A file name from a PDF or from another person, as a name in one folder.
enum SafeFileName {
    private static let maxBytes = 120

    /// Returns the last part of a path, without separators, control and format characters, a leading dot or surrounding
    /// spaces: a name that cannot leave the folder, hide the file or deceive in a terminal.
    static func name(_ text: String) -> String {
        let last = text.split { $0 == "/" || $0 == "\\" }.last ?? ""
        var name = String(
            String.UnicodeScalarView(
                last.unicodeScalars.filter { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                        false
                    default: !":*?\"<>|".unicodeScalars.contains(scalar)
                    }
                }))
        while let first = name.first, first == "." || first.isWhitespace || first == "-" { name.removeFirst() }
        while let last = name.last, last == "." || last.isWhitespace { name.removeLast() }
        guard !name.isEmpty else { return "attachment" }
        return shortened(name)
    }

    /// Keeps the extension.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxBytes else { return name }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? "." + parts[parts.count - 1] : ""
        let kept = ending.utf8.count <= 16 ? ending : ""
        var stem = String(name.dropLast(kept.count))
        while stem.utf8.count + kept.utf8.count > maxBytes { stem.removeLast() }
        return stem + kept
    }
}
