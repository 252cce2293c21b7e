import Annotations

/// Suggestions for mistyped words on the command line.
enum CommandNames {
    /// Returns the command whose name is at most two letters away, or nil.
    static func nearest(to word: String) -> String? {
        nearest(to: word, among: Postilla.configuration.subcommands.compactMap { $0.configuration.commandName })
    }

    /// Returns the nearest of the given names, or nil by the same rule.
    static func nearest(to word: String, among names: [String]) -> String? {
        names.map { (name: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= 2 && $0.distance < $0.name.count }
            .min { $0.distance < $1.distance }?.name
    }

    /// Returns the number of letters to insert, remove or replace (Levenshtein).
    static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, letter) in one.prefix(scalars: 64).enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
