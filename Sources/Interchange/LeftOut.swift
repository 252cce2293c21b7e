package import Annotations

/// Counts the records that a format cannot hold, by kind.
package struct LeftOut: Sendable {
    private var counts: [Noun: Int] = [:]
    private var groups = 0

    package init() {}

    package var isEmpty: Bool { counts.isEmpty && groups == 0 }

    /// Counts a record. The value of a form field counts with the field.
    ///
    /// - Parameter pageCount: How many pages the document has; nil: unknown.
    package mutating func add(_ record: Record, pageCount: Int? = nil) {
        if record.contentType != .formFields { add(Noun(record.content, pageCount: pageCount)) }
    }

    /// Counts an annotation that a PDF holds in another version, or not at all, because it could not be written whole.
    package mutating func addUnwritten() { add(.unwritten) }

    /// Counts an attached file.
    package mutating func addFile() { add(.file) }

    /// Counts a record that is written without its group.
    package mutating func addGroup() { groups += 1 }

    private mutating func add(_ noun: Noun) { counts[noun, default: 0] += 1 }

    /// `3 sounds, 1 form field`, the most frequent first; only printable ASCII. nil if nothing is left out.
    package var text: String? {
        guard !isEmpty else { return nil }
        let sorted = counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        var phrases = sorted.map { "\($0.value) \($0.value == 1 ? $0.key.rawValue : $0.key.plural)" }
        if let phrase = Self.phrase(groups: groups) { phrases.append(phrase) }
        return phrases.joined(separator: ", ")
    }

    /// `the group of 1 record`; nil without any.
    package static func phrase(groups: Int) -> String? {
        groups == 0 ? nil : groups == 1 ? "the group of 1 record" : "the groups of \(groups) records"
    }

    /// What a record is called in the count.
    private enum Noun: String {
        case comment
        case field = "form field"
        case file = "attached file"
        case sound
        case movie
        case screen
        case media = "media file"
        case model = "3D model"
        case redaction
        case projection
        case watermark
        case mark = "printer's mark"
        case image
        case misplaced = "annotation without a page"
        case part = "annotation of which only a part is known"
        case unwritten = "annotation that cannot be written"
        case beyond = "annotation on a page that the document does not have"
        case unknown = "annotation of an unknown kind"

        init(_ content: Content, pageCount: Int?) {
            guard content.contentType != .comments else {
                self = .comment
                return
            }
            guard content.readInPart == nil else {
                self = .part
                return
            }
            if let pageCount, let page = content["pageIndex"]?.integer, page >= pageCount {
                self = .beyond
                return
            }
            self =
                switch AnnotationKind(of: content.object) {
                case .formField: .field
                case .file: .file
                case .sound: .sound
                case .movie: .movie
                case .screen: .screen
                case .richMedia: .media
                case .model3D: .model
                case .redaction: .redaction
                case .projection: .projection
                case .watermark: .watermark
                case .printersMark: .mark
                case .image: .image
                case _ where content["pageIndex"]?.integer == nil: .misplaced
                case .caret, .trapNetwork, .unknown: .unknown
                default: .unwritten
                }
        }

        var plural: String {
            switch self {
            case .misplaced: "annotations without a page"
            case .part: "annotations of which only a part is known"
            case .unwritten: "annotations that cannot be written"
            case .beyond: "annotations on pages that the document does not have"
            case .unknown: "annotations of an unknown kind"
            default: rawValue + "s"
            }
        }
    }
}
