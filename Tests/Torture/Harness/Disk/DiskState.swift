import Annotations
import Crypto
import EngineSupport
import Foundation
import SyncProtocol
import TestSupport

/// Everything that a server holds, read through its API: one line for each document, layer, record and file.
struct DiskState {
    static let document = "plans"
    static let layer = "review"
    static let revokedToken = "revoked"
    static let pdfs: [[UInt8]] = ["One", "Two"].map { (word: String) -> [UInt8] in
        var pdf = SmallPDF(
            annotations: ["<</Type/Annot/Subtype/Text/Rect[10 10 30 30]/Contents(\(word))>>"], word: word)
        // Longer than one write.
        pdf.extra.append("<</Length 70000>>stream\n\(String(repeating: "z", count: 70_000))\nendstream")
        return pdf.bytes
    }
    static let attachment = [UInt8]("not really a picture".utf8)
    static let attachmentName = SHA256.hash(data: attachment).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()

    private(set) var lines: [String] = []

    init(of server: ServerProcess) throws {
        func ask(_ target: String, _ field: String, expecting status: Int = 200) throws -> [UInt8] {
            var request = Request("state", "GET", target, .status([status]))
            request.fields = [("Authorization", field)]
            let answer = try request.answer(from: server.port)
            guard answer.status == status else { throw Failure("\(answer.status) for \(target): \(answer.text)") }
            return answer.body
        }
        func backend(_ target: String) throws -> [UInt8] {
            try ask("/api/" + target, "Token token=\"\(server.secret)\"")
        }
        func list(_ target: String) throws -> [JSON] { try JSONReader.parse(backend(target))["data"]?.array ?? [] }

        let documents = try list("documents").compactMap { ($0["document_id"] ?? $0["id"])?.string }
        guard !documents.isEmpty else { throw Failure("there are no documents") }
        for document in documents.sorted() {
            let pdf = try backend("documents/\(document)/pdf?source=true")
            lines.append("document \(document): PDF \(Self.pdfs.firstIndex(of: pdf).map(String.init) ?? "damaged")")
            for layer in try list("documents/\(document)/layers").compactMap(\.string).sorted() {
                let token = try server.mint.token(document: document, layer: layer, user: "reader")
                let field = "Bearer \(token)"
                let session = try SessionAnswer(bytes: ask("/instant/v1/session", field))
                lines.append("layer \(layer): revision \(session.head)")
                let page = try SnapshotPage(bytes: ask("/instant/v1/records?limit=1000", field))
                lines += page.records.sorted { $0.id < $1.id }.map {
                    "\($0)".replacing(/x{40,}/) { "\($0.output.count) x" }
                }
            }
        }
        let file = try backend("documents/\(Self.document)/attachments/\(Self.attachmentName)")
        lines.append("attachment: \(file == Self.attachment ? "intact" : "damaged")")
        var claims = TokenMint.Claims(document: Self.document, layer: Self.layer, user: "ana")
        claims.id = Self.revokedToken
        let refusal = try ask("/instant/v1/session", "Bearer \(try server.mint.token(claims))", expecting: 401)
        lines.append("revoked token: \(try ErrorAnswer(bytes: refusal).reason)")
    }
}
