import Annotations
import App
import Authorization
import InstantCore
import PDFPages

/// Untrusted texts, returned in a cycle, for every field that can hold one.
final class HostileTexts {
    private let texts: [String]
    private var given = 0

    init(_ texts: [String]) { self.texts = texts.isEmpty ? [""] : texts }

    var next: String {
        defer { given += 1 }
        return texts[given % texts.count]
    }

    var reference: LayerReference {
        LayerReference(server: next, documentID: next, layer: next, userID: next)
    }

    var grant: Grant {
        Grant(
            documentID: next, layer: next, userID: next,
            collaboration: [
                Permission(.annotations, .view, .group(next)), Permission(.comments, .edit, .createdBy(next)),
            ],
            defaultGroup: next, creatorName: next, expiresAt: Timestamp(milliseconds: 1_780_142_400_000))
    }

    /// A token with untrusted claims and an invalid signature.
    var token: TokenText {
        var claims = JSONWriter()
        claims.object {
            $0.member("document_id", next)
            $0.member("layer", next)
            $0.member("user_id", next)
            $0.member("permissions", array: { $0.string(self.next) })
            $0.member("collaboration_permissions", array: { $0.string(self.next) })
            $0.member("creator_name", next)
            $0.member("exp", 1_780_153_500)
        }
        return TokenText("eyJhbGciOiJSUzI1NiJ9." + Base64URL.encode(claims.bytes) + ".c2ln")
    }

    var entry: LibraryEntry {
        LibraryEntry(id: reference, title: next, state: next, isDownloaded: true, unread: 2, problem: next)
    }

    var navigation: PDFNavigation {
        PDFNavigation(
            outline: (0..<3).map { PDFNavigation.Entry(title: next, depth: $0, pageIndex: $0) },
            labels: [next, next, next])
    }

    var page: PageText {
        let words = (0..<6).map { place in
            let box = Rect(
                left: 72 + 80 * Double(place % 3), top: 72 + 14 * Double(place / 3), width: 70, height: 12)
            return PageText.Word(text: next, box: box, line: place / 3, block: 0, flow: 0)
        }
        return PageText(width: 612, height: 792, words: words)
    }

    var person: LayerPerson {
        LayerPerson(
            id: next, userID: next, name: next, whereabouts: Location(pageIndex: 0, record: next), isPresenting: true
        )
    }

    var request: SentRequest {
        SentRequest(at: Timestamp(milliseconds: 0), method: next, path: next, outcome: next, milliseconds: 3)
    }

    var facets: ListFacets {
        ListFacets(
            kinds: [.init(.unknown(next), 1)], authors: [.init(next, 2), .init(next, 1)], groups: [.init(next, 3)])
    }

    /// - Parameter type: nil for an unknown type.
    func record(_ id: String, _ type: String?, root: String? = nil) -> Record {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(type.map { "pspdfkit/\($0)" } ?? next)
        object["pageIndex"] = 0
        object["bbox"] = Rect(left: 72, top: 72, width: 150, height: 12).json
        object["rects"] = [Rect(left: 72, top: 72, width: 150, height: 12).json]
        object["text"] = .string(next)
        object["note"] = .string(next)
        object["creatorName"] = .string(next)
        object["createdAt"] = "2026-05-30T11:00:00Z"
        if let root { object["rootId"] = .string(root) }
        return Record(id: id, content: Content(object), createdBy: next, group: next)
    }

    func edit(of record: Record) -> OutboxItem {
        OutboxItem(
            id: record.id, action: .update, kind: .unknown(next), pageIndex: 0, delivery: .conflict, reason: next,
            base: record.content, mine: self.record("mine", "note").content,
            theirs: self.record("theirs", "note").content,
            theirAuthor: next)
    }
}
