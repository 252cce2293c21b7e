import Annotations
import Crypto
import FileCore
import SyncProtocol

// The state of a file as JSON, with a checksum.
extension OwnFileState {
    static let format: Int64 = 1

    var json: [UInt8] {
        var json = JSONWriter(capacity: 1024 + rows.count * 1024)
        json.object { json in
            json.member("format", Self.format)
            json.member("checked", true)
            json.member("document", document)
            json.member("path", path)
            json.member("private", isPrivate)
            if isPrivate {
                json.key("owners")
                json.array(owners.sorted { $0.pid < $1.pid }) { $1.write(to: &$0) }
            }
            json.member("sha256", facts.sha256)
            json.member("inode", String(facts.inode))
            json.member("size", facts.size)
            json.member("changed", facts.changed)
            earlier.write("earlier", to: &json)
            json.member("sharesIDs", sharesIDs)
            json.member("revision", revision)
            json.key("rows")
            json.array(rows.sorted { $0.key < $1.key }) { json, row in
                json.object {
                    $0.member("id", row.key.text)
                    // Both the same: the file has the record as the layer has it.
                    Self.write(row.value.base, "base", to: &$0)
                    if row.value.base != row.value.mine || row.value.base == nil {
                        Self.write(row.value.mine, "mine", to: &$0)
                    } else {
                        $0.member("same", true)
                    }
                }
            }
            json.key("conflicts")
            json.array(conflicts.sorted { $0.key < $1.key }) { json, row in
                json.object {
                    $0.member("id", row.key.text)
                    Self.write(row.value.base, "base", to: &$0)
                    Self.write(row.value.mine, "mine", to: &$0)
                    Self.write(row.value.theirs, "theirs", to: &$0)
                }
            }
            json.member("marks", hasMarks)
            if let copying { json.member("copying", copying) }
            json.key("lost")
            json.array(lost.sorted { $0.key < $1.key }) { json, mark in
                json.object {
                    $0.member("id", mark.key.text)
                    mark.value.write(to: &$0)
                }
            }
            if let intent {
                json.member(
                    "writing",
                    object: { json in
                        json.member("sha256", intent.sha256)
                        json.member("keepsIDs", intent.keepsIDs)
                        json.member("exchanged", intent.exchanged)
                        json.key("rows")
                        json.array(intent.rows.sorted { $0.key < $1.key }) { json, row in
                            json.object {
                                $0.member("id", row.key.text)
                                Self.write(row.value, "mine", to: &$0)
                            }
                        }
                    })
            }
        }
        return Self.checked(json.bytes)
    }

    /// Adds the SHA-256 of all bytes before it as the last member. Earlier versions of the program overlook it.
    private static func checked(_ object: [UInt8]) -> [UInt8] {
        let bytes = Array(object.dropLast())
        return bytes + Array(tail(SHA256.hash(data: bytes).hexadecimal).utf8)
    }

    private static func tail(_ hash: String) -> String { #","checksum":"\#(hash)"}"# }

    /// Whether the bytes have the hash that they end with, or are those of an earlier version, which wrote none.
    private static func isIntact(_ bytes: [UInt8], _ json: JSON) -> Bool {
        json["checked"] == nil && json["checksum"] == nil || endsWithChecksum(bytes)
    }

    /// Whether the bytes end with the hash of those before it.
    private static func endsWithChecksum(_ bytes: [UInt8]) -> Bool {
        let length = tail(String(repeating: "0", count: 64)).utf8.count
        guard bytes.count > length else { return false }
        let hash = SHA256.hash(data: Array(bytes.dropLast(length))).hexadecimal
        return bytes.suffix(length).elementsEqual(tail(hash).utf8)
    }

    private static func write(_ record: Record?, _ key: String, to json: inout JSONWriter) {
        guard let record else { return }
        json.key(key)
        record.write(to: &json)
    }

    /// - Returns: nil if it is damaged, or of another format.
    init?(json bytes: [UInt8]) {
        do { try self.init(reading: bytes) } catch { return nil }
    }

    /// Whether a state can be read from the bytes. Does not read one with a checksum.
    static func isReadable(_ bytes: [UInt8]) -> Bool { endsWithChecksum(bytes) || OwnFileState(json: bytes) != nil }

    private struct Damaged: Error {}

    private init(reading bytes: [UInt8]) throws {
        let json = try JSONReader.parse(bytes)
        guard json["format"]?.integer == Self.format, Self.isIntact(bytes, json),
            let document = json["document"]?.string, let path = json["path"]?.string,
            let sha256 = json["sha256"]?.string, let inode = json["inode"]?.string.flatMap(UInt64.init),
            let size = json["size"]?.integer, let changed = json["changed"]?.integer,
            let revision = json["revision"]?.integer, let rows = json["rows"]?.array,
            let conflicts = json["conflicts"]?.array
        else { throw Damaged() }
        self.init(
            document: document, path: path,
            facts: FileFacts(inode: inode, size: size, changed: changed, sha256: sha256))
        isPrivate = json["private"]?.bool == true
        owners = Set((json["owners"]?.array ?? []).compactMap(ProcessIdentity.init(json:)))
        earlier = EarlierVersions(json: json["earlier"])
        sharesIDs = json["sharesIDs"]?.bool == true
        self.revision = revision
        for row in rows {
            let base = try Self.record(row["base"])
            self.rows[try Self.id(row)] = Row(
                base: base, mine: row["same"]?.bool == true ? base : try Self.record(row["mine"]))
        }
        for row in conflicts {
            self.conflicts[try Self.id(row)] = Conflict(
                base: try Self.record(row["base"]), mine: try Self.record(row["mine"]),
                theirs: try Self.record(row["theirs"]))
        }
        hasMarks = json["marks"]?.bool ?? true
        copying = json["copying"]?.string
        for row in json["lost"]?.array ?? [] {
            guard let mark = LostMark(json: row) else { throw Damaged() }
            lost[try Self.id(row)] = mark
        }
        intent = try json["writing"].map(Self.intent)
    }

    private static func intent(_ json: JSON) throws -> Intent {
        guard let hash = json["sha256"]?.string, let exchanged = json["exchanged"]?.string,
            let rows = json["rows"]?.array
        else { throw Damaged() }
        var written: [ByteOrdered: Record?] = [:]
        for row in rows { written[try id(row)] = .some(try record(row["mine"])) }
        return Intent(sha256: hash, keepsIDs: json["keepsIDs"]?.bool == true, exchanged: exchanged, rows: written)
    }

    private static func id(_ row: JSON) throws -> ByteOrdered {
        guard let id = row["id"]?.string else { throw Damaged() }
        return ByteOrdered(id)
    }

    /// - Returns: nil if there is none.
    private static func record(_ json: JSON?) throws -> Record? {
        guard let json else { return nil }
        guard let id = json["id"]?.string, let content = json["content"]?.object else { throw Damaged() }
        return Record(
            id: id, content: Content(content), createdBy: json["createdBy"]?.string,
            updatedBy: json["updatedBy"]?.string, group: json["group"]?.string)
    }

    /// The path of the PDF, as far as it can still be read in a damaged state.
    static func path(inDamaged bytes: [UInt8]) -> String? {
        let key = Array(#""path":""#.utf8)
        guard let found = bytes.firstRange(of: key) else { return nil }
        var end = found.upperBound
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count, let text = try? JSONReader.parse(Array(bytes[(found.upperBound - 1)...end])) else {
            return nil
        }
        return text.string.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
}
