import Annotations
import FileCore
import Interchange
import PDFPages

/// Moves the records of a file's old text to the places of their words in its new text. Records without a place there stay
/// where they are, and are named.
struct Reanchoring: WordMoves {
    /// nil: the words cannot be compared, and all records stay in place.
    private let alignment: EditionAlignment?
    /// Whether the two have so few words in common that they are different documents, in which no word is the same one.
    let isOtherDocument: Bool

    /// - Returns: nil if the words are where they were.
    init?(from: [PageText], to: [PageText]) {
        let alignment = EditionAlignment(from: from, to: to)
        guard !alignment.isSameEdition else { return nil }
        guard alignment.hasWords else {
            self = .unknown
            return
        }
        self.init(alignment, isOtherDocument: alignment.share < EditionAlignment.leastShare)
    }

    private init(_ alignment: EditionAlignment?, isOtherDocument: Bool) {
        (self.alignment, self.isOtherDocument) = (alignment, isOtherDocument)
    }

    /// For texts of which one cannot be read.
    static let unknown = Reanchoring(nil, isOtherDocument: false)

    /// - Parameter lost: the records that had lost their words before. Those that they are at now are not theirs.
    func move(_ records: [Record], lost: [ByteOrdered: LostMark]) -> MovedRecords {
        guard let alignment else { return MovedRecords(records: records, lost: lost) }
        var moved = MovedRecords()
        var places: [ByteOrdered: Record] = [:]
        for record in records {
            guard let mark = lost[ByteOrdered(record.id)], mark.isStill(record) else { continue }
            if !isOtherDocument, let found = alignment.moving(record, toWords: mark.words) {
                places[ByteOrdered(record.id)] = found
            } else {
                moved.lost[ByteOrdered(record.id)] = mark
            }
        }
        let rest = records.filter { record in
            let root = record.content["rootId"]?.string ?? record.id
            return places[ByteOrdered(root)] == nil && moved.lost[ByteOrdered(root)] == nil
        }
        let (found, left) = isOtherDocument ? ([], rest) : alignment.moving(rest)
        for record in found { places[ByteOrdered(record.id)] = record }
        for record in left where record.contentType == .annotations && !Annotation(record).isHidden {
            moved.lost[ByteOrdered(record.id)] = LostMark(record, words: alignment.words(of: record.content))
        }
        moved.records = records.map { record in
            if let moved = places[ByteOrdered(record.id)] { return moved }
            guard let root = record.content["rootId"]?.string.flatMap({ places[ByteOrdered($0)] }) else {
                return record
            }
            var record = record
            record.content = record.content.changing { $0["pageIndex"] = root.content["pageIndex"] }
            return record
        }
        return moved
    }
}
