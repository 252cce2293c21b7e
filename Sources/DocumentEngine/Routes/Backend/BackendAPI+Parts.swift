import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore

/// Reading a whole layer in id order, in short transactions, so that a large layer does not block other requests.
extension BackendAPI {
    /// Records read or written per transaction.
    static let rows = 500

    /// - Parameters:
    ///   - pick: returns the wanted value of a live record, inside the transaction; nil to skip the record.
    ///   - take: called with the selected values of each part.
    func eachPart<Value: Sendable>(
        of key: LayerKey, _ pick: @escaping @Sendable (ServerRecord, ServerLayer, any StoreReading) throws -> Value?,
        _ take: ([Value]) async throws -> Void
    ) async throws {
        var last: Record.ID?
        repeat {
            let part = try await engine.read { [last] store in
                let layer = try Self.layer(key, in: store)
                let rows = try store.live(in: layer, after: last, limit: Self.rows)
                return (
                    values: try rows.compactMap { try pick($0, layer, store) },
                    next: rows.count == Self.rows ? rows.last?.id : nil
                )
            }
            try await take(part.values)
            last = part.next
        } while last != nil
    }

    /// Returns a record with its root, if it is a comment; nil for a comment whose root was deleted or is missing.
    static func withRoot(
        _ row: ServerRecord, _ layer: ServerLayer, _ store: any StoreReading
    ) throws -> (record: Record, root: Record?)? {
        guard row.contentType == .comments else { return (row.record, nil) }
        guard let name = row.rootID, let root = try store.intactRecord(name, in: layer), root.isLive
        else { return nil }
        return (row.record, root.record)
    }

    /// Returns a text file generated from a layer, sent while the layer is read.
    ///
    /// - Throws: ``APIError`` if the layer does not exist. Errors after the response has started cannot be reported.
    func file(
        of key: LayerKey, type: String,
        _ write: @escaping @Sendable ((String) async throws -> Void) async throws -> Void
    ) async throws -> Response {
        _ = try await engine.read { try Self.layer(key, in: $0) }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody { [workers = engine.workers] writer in
                try await withTaskExecutorPreference(workers) {
                    try await write { if !$0.isEmpty { try await writer.write(ByteBuffer(string: $0)) } }
                }
                try await writer.finish(nil)
            })
    }
}
