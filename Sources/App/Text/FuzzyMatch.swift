/// Scores how well a typed pattern matches a name. Its letters must occur in order; matches at word starts and adjacent
/// matches score higher. Case is ignored.
struct FuzzyMatch {
    private let letters: [Character]

    init(_ typed: String) {
        letters = typed.lowercased().filter { !$0.isWhitespace }
    }

    /// Returns a score, higher is better; nil if the name does not match. An empty pattern matches every name.
    func score(_ name: String) -> Int? {
        guard !letters.isEmpty else { return 0 }
        var score = 0
        var wanted = letters[...]
        var isWordStart = true
        var wasHit = false
        for character in name.lowercased() {
            guard let letter = wanted.first else { break }
            let isHit = character == letter
            if isHit {
                score += isWordStart ? 4 : wasHit ? 3 : 1
                wanted.removeFirst()
            }
            wasHit = isHit
            isWordStart = !character.isLetter && !character.isNumber
        }
        // Of two equal matches, the shorter name wins.
        return wanted.isEmpty ? 100 * score - min(99, name.count) : nil
    }
}
