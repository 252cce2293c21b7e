import Foundation

/// A file of the package, by its path from the root.
struct SourceFile {
    var path: String
    var lines: [String]

    /// `Sources/App/View/List.swift` belongs to module `App`.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// The imported modules, with line numbers from 1.
    var imports: [(module: String, line: Int)] {
        zip(1..., lines).compactMap { number, line in
            guard line.contains("import"), let match = line.prefixMatch(of: Self.importLine) else { return nil }
            return (String(match.1), number)
        }
    }

    private nonisolated(unsafe) static let importLine =
        /\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/

    /// Returns the words of a line that are code, without comments and string contents.
    static func code(of line: String) -> [Substring] {
        line.replacing(/"(?:\\.|[^"\\])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
            .split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    static func read(_ path: String) throws -> SourceFile {
        let text = try String(contentsOf: URL(fileURLWithPath: root + "/" + path), encoding: .utf8)
        return SourceFile(
            path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// Read once for all tests.
    static let sources = Result { try all(below: "Sources", suffix: ".swift") }

    static func all(below folder: String, suffix: String) throws -> [SourceFile] {
        let names = FileManager.default.enumerator(atPath: root + "/" + folder)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(suffix) }.sorted().map { try read(folder + "/" + $0) }
    }

    static func folders(below folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
    }
}
