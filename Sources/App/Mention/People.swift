import Annotations
import InstantCore

/// The people that a comment can mention: authors of records that the token sees, except the user.
struct People: Equatable, Sendable {
    /// Each with other words, those with the most records first.
    private(set) var mentions: [Mention] = []
    private(set) var isLoaded = false

    init() {}

    /// - Parameter user: The user's own id.
    init(_ creators: [RecordCreator], except user: String?) {
        isLoaded = true
        let others = creators.filter { !Optional($0.userID).isExactly(user) }
        let names = others.map { Self.name($0.name ?? "") ?? Self.name($0.userID) }
        var counts: [ByteOrdered: Int] = [:]
        for name in names.compactMap(\.self) { counts[ByteOrdered(name), default: 0] += 1 }
        mentions = zip(others, names).compactMap { person, name in
            guard let name else { return nil }
            // Two people of one name are told apart by their ids.
            let isUnique = counts[ByteOrdered(name)] == 1
            guard let shown = isUnique ? name : Self.name("\(name) (\(person.userID))") else { return nil }
            return Mention(userID: person.userID, words: "@" + shown)
        }
    }

    /// Returns the mentions with a word that begins with this text, those that begin with it first. All of them if it is
    /// empty.
    func beginning(with text: String) -> [Mention] {
        let text = text.lowercased()
        let names = mentions.map { (mention: $0, name: $0.words.dropFirst(scalars: 1).lowercased()) }
        let first = names.filter { $0.name.begins(inAnySpelling: text) }
        let others = names.filter { item in
            !item.name.begins(inAnySpelling: text)
                && (item.name.split(scalar: " ").contains { String($0).begins(inAnySpelling: text) }
                    || item.mention.userID.lowercased().starts(with: text))
        }
        return (first + others).map(\.mention)
    }

    /// Scalars of a name.
    private static let maxLength = 100

    /// Returns a name as it can be typed on one line; nil if nothing can be seen of it.
    private static func name(_ name: String) -> String? {
        let words = name.split(whereScalar: \.properties.isWhitespace).map { word in
            String(String.UnicodeScalarView(word.unicodeScalars.filter { !$0.isInvisible }))
        }
        let shown = words.filter { !$0.isEmpty }.joined(separator: " ").prefix(scalars: maxLength)
        return shown.isEmpty ? nil : String(shown)
    }
}

/// The names that the text after an `@` can be completed to, and the one shown.
struct NameCompletion: Equatable, Sendable {
    /// The index of the `@`, in characters.
    let start: Int
    var completion: Completion

    /// - Parameter people: Those known.
    init?(_ input: TextInput, _ people: People) {
        guard let start = Self.sign(before: input) else { return nil }
        self.start = start
        let typed = String(input.characters[(start + 1)..<input.cursor])
        completion = Completion(people.beginning(with: typed).map(\.words), isWhole: true)
    }

    /// Returns the index of the `@` that begins the name at the cursor.
    static func sign(before input: TextInput) -> Int? {
        let first = max(0, input.cursor - maxTyped)
        let typed = input.characters[first..<input.cursor]
        guard let sign = typed.lastIndex(of: "@"), !typed[sign...].contains(where: \.isNewline) else { return nil }
        let isInWord = sign > 0 && (input.characters[sign - 1].isLetter || input.characters[sign - 1].isNumber)
        return isInWord ? nil : sign
    }

    /// Characters of a name that is being typed.
    private static let maxTyped = 120
}
