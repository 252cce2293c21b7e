import Annotations
import Authorization
import Crypto
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestThreads

@testable import Instant

/// An unsigned token, enough for a client, which never verifies.
func token(
    document: String = "doc", layer: String = "", user: String? = "ana", permissions: String = #""all""#,
    more: String = ""
) -> String {
    let user = user.map { #","user_id":"\#($0)""# } ?? ""
    let payload =
        #"{"document_id":"\#(document)","layer":"\#(layer)","permissions":\#(permissions),"exp":4000000000\#(user)\#(more)}"#
    return [#"{"alg":"ES256"}"#, payload, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
}

func note(_ text: String) -> Content {
    var object = JSONObject()
    object["v"] = 1
    object["type"] = "pspdfkit/note"
    object["pageIndex"] = 0
    object["bbox"] = [1, 2, 3, 4]
    object["text"] = .string(text)
    return Content(object)
}

/// The bytes of a PDF and their hash, enough for a download.
struct FakePDF: Sendable {
    let bytes: [UInt8]
    let sha256: String

    /// Made once: most tests need any PDF.
    static let standard = FakePDF(count: 200_000)

    init(count: Int) {
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        sha256 = Crypto.SHA256.hash(data: bytes).hexadecimal
    }
}

/// The sync API of a server with one layer, as one client needs it; tests can replace single responses.
func plainServer(
    _ pdf: FakePDF = .standard,
    instead: @escaping @Sendable (FakeServer.Request) -> FakeServer.Answer? = { _ in nil }
) throws -> FakeServer {
    let layer = Mutex(FakeLayer())
    return try FakeServer { request in
        if let answer = instead(request) { return answer }
        switch request.path {
        case "/instant/v1/session": return session(pdf, request)
        case "/instant/v1/records": return .json(layer.withLock { $0.everything })
        case "/instant/v1/changes":
            guard let push = try? PushRequest(bytes: request.body) else { return .error(400, "bad_request") }
            let results = layer.withLock { layer in push.changes.map { layer.apply($0) } }
            return .json(PushAnswer(results: results, delta: nil).bytes)
        case "/instant/v1/document": return document(pdf, request)
        default: return .error(404, "not_found")
        }
    }
}

/// A layer that accepts every change.
private struct FakeLayer {
    private var head: Revision = 0
    private var items: [Record.ID: SyncItem] = [:]

    mutating func apply(_ change: Change) -> ChangeResult {
        head += 1
        let record = change.content.map {
            Record(id: change.id, content: $0, createdBy: nil, updatedBy: nil, group: change.group ?? nil)
        }
        items[change.id] = record.map { .record($0, head) } ?? .removed(change.id, head)
        return ChangeResult(n: change.n, status: .applied, revision: head)
    }

    /// Both forms of the response in one: a page with all records, and all changes.
    var everything: [UInt8] {
        let items = Array(items.values)
        let live = items.filter { if case .record = $0 { true } else { false } }
        var json = JSONWriter()
        json.object {
            $0.member("epoch", "e")
            $0.member("at", head)
            $0.member("records", items: live)
            $0.member("next", orNull: nil as String?)
            $0.member("changes", items: items)
            $0.member("upTo", head)
            $0.member("more", false)
        }
        return Array(json.text.utf8)
    }
}

func session(
    _ pdf: FakePDF, _ request: FakeServer.Request, limits: ServerLimits = ServerLimits()
) -> FakeServer.Answer {
    guard let text = request.headers["authorization"]?.dropFirst("Bearer ".count),
        let grant = try? Claims(token: String(text)).grant
    else { return .error(401, "token_malformed") }
    return .json(
        SessionAnswer(
            grant: grant, now: Timestamp(seconds: 5), generation: "g", epoch: "e", head: 0, pdfSHA256: pdf.sha256,
            pdfBytes: Int64(pdf.bytes.count), title: "A title", limits: limits, pageCount: 3,
            pageRuns: [PageRun(count: 2, width: 595, height: 842), PageRun(count: 1, width: 842, height: 595)]
        ).bytes)
}

func document(_ pdf: FakePDF, _ request: FakeServer.Request) -> FakeServer.Answer {
    var headers = ["etag": "\"\(pdf.sha256)\"", "content-type": "application/pdf"]
    guard let range = request.headers["range"], request.headers["if-range"] == "\"\(pdf.sha256)\"",
        let start = Int(range.dropFirst("bytes=".count).dropLast())
    else { return FakeServer.Answer(headers: headers, body: pdf.bytes) }
    headers["content-range"] = "bytes \(start)-\(pdf.bytes.count - 1)/\(pdf.bytes.count)"
    return FakeServer.Answer(status: 206, headers: headers, body: Array(pdf.bytes[start...]))
}

/// Reads events until one matches.
func wait<T>(
    in events: AsyncStream<InstantEvent>, for fits: @escaping (InstantEvent) -> T?
) async throws -> T {
    try await limited("a matching event arrives", seconds: 600) {
        for await event in events { if let found = fits(event) { return found } }
        throw EventsEnded()
    }
}

struct EventsEnded: Error {}
