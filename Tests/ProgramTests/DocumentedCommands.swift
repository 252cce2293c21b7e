import Foundation
import TestSupport

/// The command lines in the code blocks of README.md and docs/.
enum DocumentedCommands {
    struct Line: Hashable, CustomStringConvertible {
        var page: String
        /// Without a comment at its end; lines that end with a backslash are joined.
        var text: String

        var description: String { "\(page): \(text)" }
    }

    static let pages =
        ["README.md"] + Repository.files(below: "docs", suffix: ".md").filter { !$0.contains("/decisions/") }

    /// All of them, in the order of the pages.
    static func all() throws -> [Line] { try pages.flatMap(lines(on:)) }

    /// Blocks with a language hold something else; so do blocks that no line begins with a command.
    static func lines(on page: String) throws -> [Line] {
        var lines: [Line] = []
        var block: Block = .none
        var begun = ""
        for line in try Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                block = block != .none ? .none : line == "```" ? .commands : .other
                continue
            }
            guard block == .commands else { continue }
            var text = line.prefix(upTo: line.firstRange(of: "   #")?.lowerBound ?? line.endIndex)[...]
            while text.last == " " { text.removeLast() }
            if text.last == "\\" {
                begun += text.dropLast()
                continue
            }
            let whole = begun + text.drop { $0 == " " }
            begun = ""
            if isCommand(whole) { lines.append(Line(page: page, text: whole)) }
        }
        return lines
    }

    private enum Block { case none, commands, other }

    private static let programs: Set<String> = [
        "postilla", ".build/debug/postilla", "export", "make", "swift", "sudo", "createdb", "pg_dump", "pg_restore",
        "pg_basebackup", "pg_ctl", "psql", "mkdir", "apt-get", "docker", "systemctl", "curl", "printf", "cat",
    ]

    private static func isCommand(_ text: String) -> Bool {
        guard let word = text.split(separator: " ").first else { return false }
        // "postilla: damaged: …" is output.
        return programs.contains(String(word)) || text.contains("$(postilla ")
    }
}
