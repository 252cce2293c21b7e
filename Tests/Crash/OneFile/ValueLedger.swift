/// What the windows and the other program wrote into notes, and what each of them saw when it did.
///
/// Nobody's change is lost if every value is still there, or is in a conflict, or was replaced by somebody who saw it.
/// This holds in whatever order files are read, merged and written, so the ledger does not have to know that order.
struct ValueLedger {
    enum Property: String, CaseIterable { case text, color }

    /// What a property of a note was set to. Every value is written once.
    struct Value: Hashable, CustomStringConvertible {
        /// The subject of the note.
        var key: String
        var property: Property
        var value: String

        var description: String { "\(key).\(property) = \(value)" }
    }

    /// A note as somebody sees it.
    struct Note: Hashable {
        var key: String
        var text: String
        var color: String

        var values: Set<Value> {
            [
                Value(key: key, property: .text, value: text), Value(key: key, property: .color, value: color),
            ]
        }
    }

    private var written: [Value: String] = [:]
    private var replaced: Set<Value> = []
    /// Who deleted a note.
    private var deletions: [String: [String]] = [:]
    /// What happened, for people.
    private(set) var story: [String] = []

    mutating func tell(_ line: String) { story.append(line) }

    mutating func created(_ note: Note, by who: String) {
        for value in note.values { written[value] = who }
        tell("\(who) creates \(note.key): \(note.text), \(note.color)")
    }

    mutating func set(_ value: Value, over old: Note, by who: String) {
        written[value] = who
        replaced.formUnion(old.values.filter { $0.property == value.property && $0 != value })
        tell("\(who) sets \(value), which was \(old.text), \(old.color)")
    }

    /// Whoever wrote a version gave it up.
    mutating func dropped(_ note: Note) { replaced.formUnion(note.values) }

    mutating func deleted(_ note: Note, by who: String) {
        replaced.formUnion(note.values)
        deletions[note.key, default: []].append(who)
        tell("\(who) deletes \(note.key): \(note.text), \(note.color)")
    }

    /// Somebody who saw some versions of a note chose one of them.
    ///
    /// - Parameter kept: nil: that the note is deleted.
    mutating func decided(_ key: String, between versions: [Note], for kept: Note?, by who: String) {
        replaced.formUnion(versions.flatMap(\.values).filter { kept?.values.contains($0) != true })
        if kept != nil { deletions[key] = nil } else { deletions[key, default: []].append(who) }
        let all = versions.map { "\($0.text), \($0.color)" }.joined(separator: "; ")
        tell("\(who) decides \(key) between \(all): \(kept.map { "\($0.text), \($0.color)" } ?? "deleted")")
    }

    // MARK: The check

    /// A version of a note that waits for a decision.
    struct Card: Hashable {
        var key: String
        /// Those that exist; a card without one of two sides disputes a deletion.
        var versions: [Note]
    }

    /// - Parameters:
    ///   - file: the notes of the file.
    ///   - layers: those that each window shows.
    /// - Returns: the first thing that is wrong; nil: nothing.
    func problem(file: [Note], layers: [[Note]], cards: [Card]) -> String? {
        let disputed = Set(cards.map(\.key))
        let windows = layers.enumerated().map { ("window \($0.offset + 1)", $0.element) }
        for (name, notes) in [("the file", file)] + windows {
            var seen: Set<String> = []
            for note in notes {
                // A deleted note that someone has made again is there beside the version that waits for a decision.
                guard seen.insert(note.key).inserted || disputed.contains(note.key) else {
                    return "\(name) has \(note.key) twice"
                }
                if let value = note.values.first(where: { written[$0] == nil }) {
                    return "\(name) has \(value), which nobody wrote"
                }
                if let who = deletions[note.key]?.first, !disputed.contains(note.key) {
                    return "\(name) has \(note.key), which \(who) deleted"
                }
            }
        }
        var alive = Set(file.flatMap(\.values))
        for notes in layers { alive.formUnion(notes.flatMap(\.values)) }
        for card in cards { alive.formUnion(card.versions.flatMap(\.values)) }
        let lost = written.filter { !replaced.contains($0.key) && !alive.contains($0.key) }
        if let (value, who) = lost.min(by: { "\($0.key)" < "\($1.key)" }) { return "\(value) by \(who) is lost" }
        func undisputed(_ notes: [Note]) -> Set<Note> { Set(notes.filter { !disputed.contains($0.key) }) }
        for (index, notes) in layers.enumerated() where undisputed(notes) != undisputed(file) {
            let different = undisputed(notes).symmetricDifference(undisputed(file))
            return "window \(index + 1) and the file differ in \(different.map(\.key).sorted())"
        }
        return nil
    }
}
