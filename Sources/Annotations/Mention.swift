/// A person named in a comment: `<span data-user-id="USER">@Name</span>` in its XHTML.
public struct Mention: Hashable, Sendable {
    /// The `user_id` in this person's tokens.
    public var userID: String
    /// What the text says, with the sign: `@Ana Lopes`.
    public var words: String

    public init(userID: String, words: String) {
        (self.userID, self.words) = (userID, words)
    }

    /// Compares the bytes: two ids that look alike name two people.
    public static func == (one: Mention, other: Mention) -> Bool {
        one.userID.isExactly(other.userID) && one.words.isExactly(other.words)
    }
}

/// A mention and its place in the words of a text, in UTF-8 bytes.
package struct PlacedMention: Hashable, Sendable {
    package var mention: Mention
    package var place: Range<Int>
}

extension CommentText {
    /// All mentions, in text order. Only the exact markup of a mention counts: a nested or unclosed element, other
    /// attributes, tags inside the element, or words without a leading `@` make it ordinary text.
    public var mentions: [Mention] { placedMentions.map(\.mention) }

    /// The mentions with their places in ``words``.
    package var placedMentions: [PlacedMention] {
        switch self {
        case .plain: return []
        case .xhtml(let text):
            guard text.utf8.contains(UInt8(ascii: "@")) else { return [] }
            return XHTMLPieces(Array(text.utf8)).mentions.map(\.placed)
        }
    }

    /// Returns a text as it is written in a comment: plain unless it names one of these people.
    ///
    /// - Parameter people: The people that the text can mention, each by different words.
    package static func saying(_ text: String, mentioning people: [Mention]) -> CommentText {
        let named = MentionFinder(people).find(in: text)
        return named.isEmpty ? .plain(text) : .xhtml(text.paragraphs(mentioning: named))
    }
}

extension Content {
    /// The text of a comment; nil for any other content.
    package var commentText: CommentText? {
        contentType == .comments ? self["text"].flatMap(CommentText.init(json:)) : nil
    }

    /// The mentions in a comment; empty for any other content.
    package var mentions: [Mention] { commentText?.mentions ?? [] }

    /// Whether a comment names a user.
    package func mentions(_ user: String) -> Bool { mentions.contains { $0.userID.isExactly(user) } }
}

/// Finds names after `@` in a text.
struct MentionFinder {
    /// The scalars of the words, the longest first, with the users they name. Further mentions with the same words name the
    /// next user, the last one as often as needed.
    private var names: [(words: [Unicode.Scalar], users: [String])] = []

    init(_ people: [Mention]) {
        for person in people {
            let words = Array(person.words.unicodeScalars)
            guard words.first == "@", words.count > 1 else { continue }
            if let index = names.firstIndex(where: { $0.words == words }) {
                names[index].users.append(person.userID)
            } else {
                names.append((words, [person.userID]))
            }
        }
        names.sort { $0.words.count > $1.words.count }
    }

    /// Returns the names that stand alone: neither the sign nor the name touches a letter or a digit.
    ///
    /// - Parameter bytes: Only names that overlap this part of the text, or touch it.
    func find(in text: String, touching bytes: Range<Int>? = nil) -> [PlacedMention] {
        guard !names.isEmpty, text.utf8.contains(UInt8(ascii: "@")) else { return [] }
        var left = names
        var found: [PlacedMention] = []
        let scalars = Array(text.unicodeScalars)
        var (index, byte) = (0, 0)
        while index < scalars.count {
            defer {
                byte += UTF8.width(scalars[index])
                index += 1
            }
            guard scalars[index] == "@", index == 0 || !scalars[index - 1].isPartOfWord,
                let name = left.firstIndex(where: { scalars[index...].starts(with: $0.words) }),
                !(scalars.dropFirst(index + left[name].words.count).first?.isPartOfWord ?? false)
            else { continue }
            let words = left[name].words
            let place = byte..<(byte + words.reduce(0) { $0 + UTF8.width($1) })
            if let bytes, place.upperBound < bytes.lowerBound || bytes.upperBound < place.lowerBound { continue }
            let user = left[name].users[0]
            if left[name].users.count > 1 { left[name].users.removeFirst() }
            var string = ""
            string.unicodeScalars.append(contentsOf: words)
            found.append(PlacedMention(mention: Mention(userID: user, words: string), place: place))
        }
        return found
    }
}

extension Unicode.Scalar {
    fileprivate var isPartOfWord: Bool {
        if value < 0x80 { return properties.isAlphabetic || ("0"..."9").contains(self) }
        return properties.isAlphabetic || properties.numericType != nil
            || properties.canonicalCombiningClass != .notReordered
    }
}

/// Which people a changed text still names.
struct MentionChange {
    /// The mentions of the new text.
    private(set) var placed: [PlacedMention] = []

    /// - Parameters:
    ///   - old: The previous words and their mentions.
    ///   - people: The people that new words can mention.
    init(from old: [UInt8], _ before: [PlacedMention], to new: String, mentioning people: [Mention]) {
        let bytes = Array(new.utf8)
        let change = TextChange(from: old, to: bytes)
        let shift = bytes.count - old.count
        var touched: [Mention] = []
        for mention in before {
            let place = mention.place
            if place.upperBound <= change.old.lowerBound, Self.standsAlone(place, bytes) {
                placed.append(mention)
            } else if place.lowerBound >= change.old.upperBound,
                Self.standsAlone(place.lowerBound + shift..<place.upperBound + shift, bytes)
            {
                let moved = place.lowerBound + shift..<place.upperBound + shift
                placed.append(PlacedMention(mention: mention.mention, place: moved))
            } else {
                touched.append(mention.mention)
            }
        }
        // Those who were named here come first: other people may have the same name.
        let known = Set(touched.map { ByteOrdered($0.words) })
        let candidates = touched + people.filter { !known.contains(ByteOrdered($0.words)) }
        let kept = placed
        placed += MentionFinder(candidates).find(in: new, touching: change.new)
            .filter { found in !kept.contains { $0.place.overlaps(found.place) } }
        placed.sort { $0.place.lowerBound < $1.place.lowerBound }
    }

    /// Whether no letter or digit follows, as in `@Benedict` for `@Ben`.
    private static func standsAlone(_ place: Range<Int>, _ text: [UInt8]) -> Bool {
        let after = String(decoding: text[place.upperBound...].prefix(4), as: UTF8.self).unicodeScalars.first
        return !(after?.isPartOfWord ?? false)
    }
}

/// The shortest range in which two texts differ, in whole scalars.
struct TextChange {
    var old: Range<Int>
    var new: Range<Int>

    init(from one: [UInt8], to other: [UInt8]) {
        func continues(_ text: [UInt8], _ index: Int) -> Bool { index < text.count && text[index] & 0xC0 == 0x80 }
        var start = zip(one, other).prefix { $0 == $1 }.count
        while start > 0, continues(one, start) || continues(other, start) { start -= 1 }
        let most = min(one.count, other.count) - start
        var end = zip(one.reversed(), other.reversed()).prefix(most).prefix { $0 == $1 }.count
        while end > 0, continues(one, one.count - end) { end -= 1 }
        old = start..<(one.count - end)
        new = start..<(other.count - end)
    }

    /// Grows to a range of the old text, where both texts are alike.
    mutating func grow(to range: Range<Int>) {
        let before = max(0, old.lowerBound - range.lowerBound)
        let after = max(0, range.upperBound - old.upperBound)
        old = old.lowerBound - before..<old.upperBound + after
        new = new.lowerBound - before..<new.upperBound + after
    }
}

extension String {
    /// Returns the text as paragraphs of XHTML.
    func paragraphs(mentioning placed: [PlacedMention] = []) -> String {
        let bytes = Array(utf8)
        var text = ""
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            text += "<p>" + String.xhtml(bytes, start..<end, placed, newLine: "") + "</p>"
            start = end + 1
        }
        return text
    }

    /// Returns a part of a text as XHTML, with the mentions in it.
    static func xhtml(_ bytes: [UInt8], _ part: Range<Int>, _ placed: [PlacedMention], newLine: String) -> String {
        func escaped(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).escaped(newLine: newLine)
        }
        var text = ""
        var done = part.lowerBound
        for mention in placed where mention.place.lowerBound >= done && mention.place.upperBound <= part.upperBound {
            let user = mention.mention.userID.escaped(newLine: " ").replacing(scalars: "\"", with: "&quot;")
            text += escaped(done..<mention.place.lowerBound)
            text += "<span data-user-id=\"\(user)\">\(escaped(mention.place))</span>"
            done = mention.place.upperBound
        }
        return text + escaped(done..<part.upperBound)
    }

    func escaped(newLine: String) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\n": text += newLine
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
