import Annotations
import EngineCore
import Hummingbird
import Interchange
import NIOCore
import SyncProtocol

/// A layer as one file of XFDF.
extension BackendPlane {
    /// Annotations and their replies in the order of their ids, one short transaction after the other.
    func xfdf(_ key: LayerKey) async throws -> Response {
        _ = try await replies(of: key, after: nil, limit: 1)
        let pages = try await engine.read { try Self.document(key.document, in: $0).pages.map(\.frame) }
        return Response(
            status: .ok, headers: [.contentType: "application/vnd.adobe.xfdf", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let file = XFDFWriter(pages: pages)
                try await writer.write(ByteBuffer(string: file.begin()))
                var last: Record.ID?
                repeat {
                    let part = try await replies(of: key, after: last, limit: Self.rows)
                    let text = part.entries.map { file.add($0.record, under: $0.root) }.joined()
                    if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                    last = part.next
                } while last != nil
                try await writer.write(ByteBuffer(string: file.end()))
                try await writer.finish(nil)
            })
    }

    /// Records after an id; a comment together with its root.
    func replies(
        of key: LayerKey, after id: Record.ID?, limit: Int
    ) async throws -> (entries: [(record: Record, root: Record?)], next: Record.ID?) {
        try await engine.read { store in
            let layer = try Self.layer(key, in: store)
            let rows = try store.live(in: layer, after: id, limit: limit)
            let entries = try rows.compactMap { row -> (record: Record, root: Record?)? in
                guard row.contentType == .comments else { return (row.record, nil) }
                guard let name = row.rootID, let root = try store.record(name, in: layer) else { return nil }
                return (row.record, root.record)
            }
            return (entries, rows.count == limit ? rows.last?.id : nil)
        }
    }
}
