import Annotations
import FoundationEssentials

/// A file name from a PDF or from another person, as a name in one folder.
enum SafeFileName {
    private static let maxBytes = 120

    /// Returns the last part of a path, without separators, control and format characters, a leading dot or surrounding
    /// spaces: a name that cannot leave the folder, hide the file or deceive in a terminal.
    static func name(_ text: String) -> String {
        let last = text.split(whereScalar: { $0 == "/" || $0 == "\\" }).last ?? ""
        var name = String(
            String.UnicodeScalarView(
                last.unicodeScalars.filter { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                        false
                    default: !":*?\"<>|".unicodeScalars.contains(scalar)
                    }
                }))
        while let first = name.unicodeScalars.first, first == "." || first.properties.isWhitespace || first == "-" {
            name.unicodeScalars.removeFirst()
        }
        while let last = name.unicodeScalars.last, last == "." || last.properties.isWhitespace {
            name.unicodeScalars.removeLast()
        }
        guard !name.isEmpty else { return "attachment" }
        return shortened(name)
    }

    /// Returns a name that no file in a folder has: the given one, `paper-2.pdf`, `paper-3.pdf` ...
    ///
    /// - Parameter first: 1 to try the name itself.
    static func free(_ name: String, from first: Int = 1, in folder: String = ".") -> String {
        let dot = name.dropFirst(scalars: 1).unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let (stem, ending) = (name[..<dot], name[dot...])
        let names = (first...99).lazy.map { $0 == 1 ? name : "\(stem)-\($0)\(ending)" }
        return names.first { !FileManager.default.fileExists(atPath: "\(folder)/\($0)") } ?? "\(stem)-copy\(ending)"
    }

    /// Keeps the extension.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxBytes else { return name }
        let parts = name.split(scalar: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? "." + parts[parts.count - 1] : ""
        let kept = ending.utf8.count <= 16 ? ending : ""
        var stem = String(name.dropping(suffix: kept) ?? name[...])
        while stem.utf8.count + kept.utf8.count > maxBytes { stem.unicodeScalars.removeLast() }
        return stem + kept
    }
}
