import Annotations
import EngineCore
import FileCore

/// The small facts about a local PDF, which its database has once.
struct FileMeta: Hashable, Sendable {
    /// What ``LocalFileState`` has besides rows, conflicts, marks without words and the intent. Those are empty here.
    var state = LocalFileState()
    /// Whether the file has annotations besides links and other furniture of its pages.
    var hasMarks = true

    // MARK: As JSON. What a later version adds is overlooked.

    var text: String {
        JSONWriter.text(capacity: 8192) { json in
            if let version = state.version {
                json.key("version")
                version.write(to: &json)
            }
            json.key("earlier")
            json.array(state.earlier.versions) { json, version in
                json.object {
                    $0.member("size", version.size)
                    $0.member("sha256", version.sha256)
                    $0.member("text", state.earlier.hasPresentText(version))
                }
            }
            json.member("sharesIDs", state.sharesIDs)
            json.key("hidden")
            json.array(state.hidden.map(ByteOrdered.init).sorted()) { $0.string($1.text) }
            json.member("writes", state.writes)
            json.member("private", state.isPrivate)
            json.key("owners")
            json.array(state.owners.sorted { ($0.pid, $0.start) < ($1.pid, $1.start) }) { json, owner in
                json.object {
                    $0.member("pid", Int64(owner.pid))
                    $0.member("start", String(owner.start))
                }
            }
            json.member("shared", state.isShared)
            if let counted = state.counted { json.member("counted", counted.milliseconds) }
            if let checksum = state.tookOver { json.member("tookOver", checksum) }
            if let moment = state.takenIn { json.member("takenIn", moment.milliseconds) }
            json.member("marks", hasMarks)
        }
    }

    init() {}

    /// - Throws: ``DamagedRow``
    init(text: String) throws {
        guard let json = try? JSONReader.parse(Array(text.utf8)), let sharesIDs = json["sharesIDs"]?.bool,
            let writes = json["writes"]?.integer, let earlier = json["earlier"]?.array,
            let hidden = json["hidden"]?.array, let owners = json["owners"]?.array
        else { throw DamagedRow(StoredTable.fileMeta.noun) }
        state.version = try json["version"].map { try Self.value(FileVersion(json: $0)) }
        let versions = try earlier.map { item in
            FileVersion.Contents(
                size: try Self.value(item["size"]?.integer), sha256: try Self.value(item["sha256"]?.string))
        }
        let others = zip(versions, earlier).filter { $1["text"]?.bool != true }.map(\.0)
        state.earlier = EarlierContents(versions, otherTexts: Set(others))
        state.sharesIDs = sharesIDs
        state.hidden = Set(try hidden.map { try Self.value($0.string) })
        state.writes = writes
        state.isPrivate = json["private"]?.bool == true
        state.owners = Set(try owners.map { try Self.value(FileUser(json: $0)) })
        state.isShared = json["shared"]?.bool == true
        state.counted = json["counted"]?.integer.map(Timestamp.init(milliseconds:))
        state.tookOver = json["tookOver"]?.string
        state.takenIn = json["takenIn"]?.integer.map(Timestamp.init(milliseconds:))
        hasMarks = json["marks"]?.bool ?? true
    }

    private static func value<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw DamagedRow(StoredTable.fileMeta.noun) }
        return value
    }
}

extension FileUser {
    fileprivate init?(json: JSON) {
        guard let pid = json["pid"]?.integer.flatMap(Int32.init(exactly:)),
            let start = json["start"]?.string.flatMap(UInt64.init)
        else { return nil }
        self.init(pid: pid, start: start)
    }
}
