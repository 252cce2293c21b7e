package import Annotations

/// An annotation whose words the present text of its file does not have.
package struct LostMark: Hashable, Sendable {
    /// The words that it marked, or those next to it.
    package var words: [String]
    /// The members that say where it was and is.
    private let place: JSONObject

    package init(_ record: Record, words: [String]) {
        self.words = words
        place = Self.place(record)
    }

    /// Whether the annotation has not been moved since.
    package func isStill(_ record: Record) -> Bool { Self.place(record) == place }

    private static func place(_ record: Record) -> JSONObject {
        var place = JSONObject()
        for key in Content.placeMembers.sorted() { place[key] = record.content[key] }
        return place
    }

    // MARK: As JSON

    package func write(to json: inout JSONWriter) {
        json.key("words")
        json.array(words) { $0.string($1) }
        json.key("place")
        json.value(.object(place))
    }

    package init?(json: JSON) {
        guard let words = json["words"]?.array, let place = json["place"]?.object else { return nil }
        (self.words, self.place) = (words.compactMap(\.string), place)
    }
}

/// Moves the records of a file's old text to the places of their words in its new text. Records without a place there stay
/// where they are, and are named.
package protocol WordMoves: Sendable {
    /// Whether the two have so few words in common that they are different documents, in which no word is the same one.
    var isOtherDocument: Bool { get }

    /// - Parameter lost: the records that had lost their words before. Those that they are at now are not theirs.
    func move(_ records: [Record], lost: [ByteOrdered: LostMark]) -> MovedRecords
}

package struct MovedRecords {
    /// In the order in which they came.
    package var records: [Record]
    package var lost: [ByteOrdered: LostMark]

    package init(records: [Record] = [], lost: [ByteOrdered: LostMark] = [:]) {
        (self.records, self.lost) = (records, lost)
    }
}
