/// How well what is typed fits a name: its letters in their order, best at the beginnings of words and side by side.
/// Small and capital letters are alike.
struct FuzzyMatch {
    private let letters: [Character]

    init(_ typed: String) {
        letters = typed.lowercased().filter { !$0.isWhitespace }
    }

    /// The higher the better; nil: it does not fit. Everything fits nothing typed.
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
        // Of two that fit alike the shorter one is meant.
        return wanted.isEmpty ? 100 * score - min(99, name.count) : nil
    }
}
