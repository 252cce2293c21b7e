import Annotations
import FoundationEssentials
import Glibc
import InstantCore
import SQLite

/// A small file beside a layer's store: which layer it is, which PDF it needs, and where its edits are in it. Needed when
/// the store is damaged.
///
/// ```
/// {"server":…,"document":…,"layer":…,"user":…,"pdf":…,"schema":6,"facts":2,"outbox":7,"lostCommits":0}
/// XXH64 of the first line, as a decimal number
/// ```
struct LayerLabel: Hashable, Sendable {
    /// nil if unknown.
    var identity: LayerIdentity?
    /// SHA-256 in lower-case hex; empty if none is known.
    var pdfSHA256 = ""
    /// The version of the tables; see ``LocalSchema``.
    var schema = 0
    /// The first pages of the tables that a repair reads; 0 if unknown.
    var factsPage = 0
    var outboxPage = 0
    /// The commits that were missing from the write-ahead log when the store was opened, until it is repaired.
    var lostCommits = 0

    /// What a file says.
    enum Finding: Hashable {
        case label(LayerLabel)
        case none
        case damaged

        var label: LayerLabel? { if case .label(let label) = self { label } else { nil } }
    }

    /// The label of a store.
    static func path(besides database: String) -> String {
        (database.dropping(suffix: ".sqlite") ?? database[...]) + ".json"
    }

    static func read(_ path: String) -> Finding {
        guard Folders.isFile(path), let data = FileManager.default.contents(atPath: path) else { return .none }
        let lines = data.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        guard lines.count == 2, String(decoding: lines[1], as: UTF8.self) == sum(of: Array(lines[0])),
            let json = try? JSON(parsing: String(decoding: lines[0], as: UTF8.self))
        else { return .damaged }
        return .label(LayerLabel(json))
    }

    /// The file is on disk when this returns.
    func write(to path: String) throws {
        let text = json
        let part = path + ".part"
        let bytes = Array("\(text)\n\(Self.sum(of: Array(text.utf8)))".utf8)
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LocalStoreError.failed(path: part, errnoText()) }
        let isWritten =
            bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
            && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(part, path) == 0 else { throw LocalStoreError.failed(path: path, errnoText()) }
    }

    private static func sum(of line: [UInt8]) -> String {
        var sum = RowChecksum()
        line.withUnsafeBytes { sum.add($0) }
        return "\(sum.value)"
    }

    private var json: String {
        JSONWriter.text {
            if let identity {
                $0.member("server", identity.server)
                $0.member("document", identity.documentID)
                $0.member("layer", identity.layer)
                $0.member("user", orNull: identity.userID)
            }
            $0.member("pdf", pdfSHA256)
            $0.member("schema", schema)
            $0.member("facts", factsPage)
            $0.member("outbox", outboxPage)
            $0.member("lostCommits", lostCommits)
        }
    }

    private init(_ json: JSON) {
        if let server = json["server"]?.string, let document = json["document"]?.string,
            let layer = json["layer"]?.string
        {
            identity = LayerIdentity(
                server: server, documentID: document, layer: layer, userID: json["user"]?.string)
        }
        pdfSHA256 = json["pdf"]?.string ?? ""
        func number(_ name: String) -> Int { json[name]?.integer.map { Int(clamping: $0) } ?? 0 }
        (schema, factsPage, outboxPage) = (number("schema"), number("facts"), number("outbox"))
        lostCommits = number("lostCommits")
    }

    init() {}
}
