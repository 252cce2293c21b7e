import Annotations
import EngineCore
import FileCore

/// Records as the database of a local PDF has them: JSON in which each content keeps its text, byte for byte.
enum FileRecords {
    /// More than a content may have by itself.
    private static let depth = JSONReader.defaultDepth + 16

    static func text(_ record: Record?) -> String? { record?.json }

    static func text(list: [Record?]) -> String {
        var json = JSONWriter(capacity: 64 + list.count * 512)
        json.array(list) { write($1, to: &$0) }
        return json.text
    }

    private static func write(_ record: Record?, to json: inout JSONWriter) {
        if let record { record.write(to: &json) } else { json.null() }
    }

    static func record(_ text: String?) throws -> Record? {
        guard let text else { return nil }
        return try read(text) { (reader: inout JSONReader) throws(JSONError) in try record(from: &reader) }
    }

    static func list(_ text: String) throws -> [Record?] {
        try read(text) { (reader: inout JSONReader) throws(JSONError) in
            var list: [Record?] = []
            try reader.array { (reader: inout JSONReader) throws(JSONError) in list.append(try record(from: &reader)) }
            return list
        }
    }

    /// - Throws: ``DamagedRow``: a row with the right checksum has text that this program does not write.
    private static func read<Result>(
        _ text: String, _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws -> Result {
        var reader = JSONReader(text, maximumDepth: depth)
        do throws(JSONError) {
            let result = try body(&reader)
            try reader.end()
            return result
        } catch { throw DamagedRow(StoredTable.fileRow.noun) }
    }

    /// - Returns: nil for `null`.
    private static func record(from reader: inout JSONReader) throws(JSONError) -> Record? {
        if try reader.peek() == .null {
            try reader.null()
            return nil
        }
        var (id, content): (String?, Content?)
        var (creator, editor, group): (String?, String?, String?)
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "content": content = try Content(from: &reader)
            case "createdBy": creator = try reader.optionalString()
            case "updatedBy": editor = try reader.optionalString()
            case "group": group = try reader.optionalString()
            default: try reader.skip()
            }
        }
        guard let id, let content else { throw reader.error(.wrongType("a record")) }
        return Record(id: id, content: content, createdBy: creator, updatedBy: editor, group: group)
    }

    // MARK: A write that may have happened

    static func text(_ intent: LocalFileState.Intent) -> String {
        JSONWriter.text(capacity: 512 + intent.rows.count * 1024) { json in
            json.member("number", intent.number)
            json.key("version")
            intent.version.write(to: &json)
            json.member("hidden", intent.hidden)
            json.member("keepsIDs", intent.keepsIDs)
            json.key("rows")
            json.array(intent.rows.sorted { $0.key < $1.key }) { json, row in
                json.object {
                    $0.member("id", row.key.text)
                    $0.key("record")
                    write(row.value, to: &$0)
                }
            }
        }
    }

    static func intent(_ text: String) throws -> LocalFileState.Intent {
        try read(text) { (reader: inout JSONReader) throws(JSONError) in
            var (number, version, hidden, keepsIDs): (Int64?, FileVersion?, String?, Bool?)
            var rows: [ByteOrdered: Record?] = [:]
            try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
                switch key {
                case "number": number = try reader.number().integer
                case "version": version = FileVersion(json: try reader.value())
                case "hidden": hidden = try reader.string()
                case "keepsIDs": keepsIDs = try reader.bool()
                case "rows":
                    try reader.array { (reader: inout JSONReader) throws(JSONError) in
                        let (id, record) = try row(from: &reader)
                        rows.updateValue(record, forKey: id)
                    }
                default: try reader.skip()
                }
            }
            guard let number, let version, let hidden, let keepsIDs else { throw reader.error(.wrongType("an intent")) }
            return LocalFileState.Intent(
                number: number, version: version, hidden: hidden, keepsIDs: keepsIDs, rows: rows)
        }
    }

    private static func row(from reader: inout JSONReader) throws(JSONError) -> (ByteOrdered, Record?) {
        var (id, record): (String?, Record?)
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "record": record = try Self.record(from: &reader)
            default: try reader.skip()
            }
        }
        guard let id else { throw reader.error(.wrongType("a row")) }
        return (ByteOrdered(id), record)
    }
}

extension FileVersion {
    func write(to json: inout JSONWriter) {
        json.object {
            // It may be larger than the numbers that JSON is read for.
            $0.member("inode", String(inode))
            $0.member("size", size)
            $0.member("changed", changed)
            $0.member("sha256", sha256)
        }
    }

    init?(json: JSON) {
        guard let inode = json["inode"]?.string.flatMap(UInt64.init), let size = json["size"]?.integer,
            let changed = json["changed"]?.integer, let sha256 = json["sha256"]?.string
        else { return nil }
        self.init(inode: inode, size: size, changed: changed, sha256: sha256)
    }
}
