import Screen
import TestSupport

/// A program that shows the same list, and how to recognise that it does.
struct Contestant {
    var name: String
    /// The program's path and its arguments.
    var command: [String]
    var environment: [String: String] = [:]
    var version = ""
    /// Whether the terminal shows all of the first screen: every row of the list, and the line that shows the position.
    var isComplete: (VirtualTerminal) -> Bool
    var nextRow: Keys = "j"
    var previousRow: Keys = "k"
    var nextScreen: Keys = "\u{1B}[6~"
    var previousScreen: Keys = "\u{1B}[5~"
    var first: Keys = "gg"
    var last: Keys = "G"
    /// Narrows the list to the rows that contain a word: the keys before the measured ones, the measured ones, and
    /// those that show all rows again.
    var filter: Filter?
    var quit: Keys = "q"

    typealias Keys = String

    struct Filter {
        var opening: Keys
        /// Each is measured separately.
        var measured: [Keys]
        var closing: Keys

        /// The word to search for. Each of its letters leaves fewer remarks than the previous one, so that every answer
        /// is a different list.
        static let word = "bert"
        static let letters = word.map { Keys($0) }
    }
}

extension VirtualTerminal {
    /// The number of rows that show a remark, recognised by its number.
    var remarkRows: Int {
        (0..<size.rows).count { row in
            let line = line(row)
            guard let sign = line.firstIndex(of: "#") else { return false }
            return line[line.index(after: sign)...].first?.isNumber ?? false
        }
    }
}
