import Annotations
import Crypto
import FileCore

@testable import DocumentEngine

/// Writes a `state.json` as engines of earlier versions did, byte for byte.
struct EarlierStateWriter {
    var state: EarlierState
    var revision: Int64 = 7
    /// The processes that have a private file open.
    var owners: [FileUser] = []
    var hasMarks = true
    /// Whether it ends with a checksum. Older versions wrote none.
    var isChecked = true

    init(_ state: EarlierState) { self.state = state }

    var bytes: [UInt8] {
        var json = JSONWriter(capacity: 1024 + state.rows.count * 1024)
        json.object { json in
            json.member("format", 1)
            if isChecked { json.member("checked", true) }
            writeFacts(to: &json)
            writeRows(to: &json)
            json.member("marks", hasMarks)
            if let copying = state.copying { json.member("copying", copying) }
            json.key("lost")
            json.array(state.lost.sorted { $0.key < $1.key }) { json, mark in
                json.object {
                    $0.member("id", mark.key.text)
                    mark.value.write(to: &$0)
                }
            }
            if let intent = state.intent { json.member("writing", object: { Self.write(intent, to: &$0) }) }
        }
        return isChecked ? Self.checked(json.bytes) : json.bytes
    }

    private func writeFacts(to json: inout JSONWriter) {
        json.member("document", state.document)
        json.member("path", state.path)
        json.member("private", state.isPrivate)
        if state.isPrivate {
            json.key("owners")
            json.array(owners.sorted { $0.pid < $1.pid }) { json, owner in
                json.object {
                    $0.member("pid", Int64(owner.pid))
                    $0.member("start", String(owner.start))
                }
            }
        }
        json.member("sha256", state.version.sha256)
        json.member("inode", String(state.version.inode))
        json.member("size", state.version.size)
        json.member("changed", state.version.changed)
        json.key("earlier")
        json.array(state.earlier.versions) { json, version in
            json.object {
                $0.member("size", version.size)
                $0.member("sha256", version.sha256)
            }
        }
        json.member("sharesIDs", state.sharesIDs)
        json.member("revision", revision)
    }

    private func writeRows(to json: inout JSONWriter) {
        json.key("rows")
        json.array(state.rows.sorted { $0.key < $1.key }) { json, row in
            json.object {
                $0.member("id", row.key.text)
                Self.write(row.value.base, "base", to: &$0)
                if row.value.base != row.value.local || row.value.base == nil {
                    Self.write(row.value.local, "mine", to: &$0)
                } else {
                    $0.member("same", true)
                }
            }
        }
        json.key("conflicts")
        json.array(state.conflicts.sorted { $0.key < $1.key }) { json, row in
            json.object {
                $0.member("id", row.key.text)
                Self.write(row.value.base, "base", to: &$0)
                Self.write(row.value.local, "mine", to: &$0)
                Self.write(row.value.remote, "theirs", to: &$0)
            }
        }
    }

    private static func write(_ intent: EarlierState.Intent, to json: inout JSONWriter) {
        json.member("sha256", intent.sha256)
        json.member("keepsIDs", intent.keepsIDs)
        json.member("exchanged", intent.exchanged)
        json.key("rows")
        json.array(intent.rows.sorted { $0.key < $1.key }) { json, row in
            json.object {
                $0.member("id", row.key.text)
                write(row.value, "mine", to: &$0)
            }
        }
    }

    private static func write(_ record: Record?, _ key: String, to json: inout JSONWriter) {
        guard let record else { return }
        json.key(key)
        record.write(to: &json)
    }

    /// Adds the SHA-256 of all bytes before it as the last member.
    static func checked(_ object: [UInt8]) -> [UInt8] {
        let bytes = Array(object.dropLast())
        return bytes + Array(#","checksum":"\#(SHA256.hash(data: bytes).hexadecimal)"}"#.utf8)
    }
}
