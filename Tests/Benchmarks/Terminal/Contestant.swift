import Screen
import TestSupport

/// A program that shows the same list, and how to tell that it does.
struct Contestant {
    var name: String
    /// The program's path and its arguments.
    var command: [String]
    var environment: [String: String] = [:]
    var version = ""
    /// Whether the terminal shows all of the first screen: every row of the list, and the line that tells where one is.
    var isComplete: (VirtualTerminal) -> Bool
    var nextRow: Keys = "j"
    var previousRow: Keys = "k"
    var nextScreen: Keys = "\u{1B}[6~"
    var previousScreen: Keys = "\u{1B}[5~"
    var first: Keys = "gg"
    var last: Keys = "G"
    /// Narrows the list to what holds a word: the keys before the ones that are measured, those, and back to all.
    var filter: Filter?
    var quit: Keys = "q"

    typealias Keys = String

    struct Filter {
        var opening: Keys
        /// Each is measured by itself.
        var measured: [Keys]
        var closing: Keys

        /// The word that is looked for. Each of its letters leaves fewer remarks than the one before, so that every answer
        /// is another list.
        static let word = "bert"
        static let letters = word.map { Keys($0) }
    }
}

extension VirtualTerminal {
    /// How many rows show a remark, known by its number.
    var remarkRows: Int {
        (0..<size.rows).count { row in
            let line = line(row)
            guard let sign = line.firstIndex(of: "#") else { return false }
            return line[line.index(after: sign)...].first?.isNumber ?? false
        }
    }
}
