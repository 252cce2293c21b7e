import Annotations
import Crypto
import FileCore
import FoundationEssentials
import Glibc
import SyncProtocol

/// What an engine of an earlier version has kept of one PDF: a file `state.json`, beside a copy of the PDF and attachments.
struct EarlierState: Sendable {
    /// A random id, which is the name of its folder, too.
    var document: String
    /// Of the PDF: absolute, without links.
    var path: String
    /// It kept nothing on disk, and is over.
    var isPrivate = false
    /// The PDF as it was last read or written.
    var version: FileVersion
    var earlier = EarlierContents()
    var sharesIDs = true
    /// Every record that was edited since the file was first read.
    var rows: [ByteOrdered: LocalFileState.Row] = [:]
    var conflicts: [ByteOrdered: LocalFileState.Conflict] = [:]
    var lost: [ByteOrdered: FileCore.LostMark] = [:]
    var intent: Intent?
    /// The path of a copy that was being written.
    var copying: String?
    /// Of all bytes, in lower-case hex.
    var checksum = ""
    /// Where it is.
    var folder = ""

    /// A write that may or may not have happened.
    struct Intent: Hashable, Sendable {
        /// The hash of the file once it is written.
        var sha256: String
        var keepsIDs: Bool
        /// The path beside the file that one of the two files had for a moment.
        var exchanged: String
        /// The records as they were written; nil: removed.
        var rows: [ByteOrdered: Record?]
    }

    /// How many records are not in the file as they are in the layer.
    var unwritten: Int { rows.count { !$0.value.isWritten || conflicts[$0.key] != nil } }

    /// The attachments that the records to be written name.
    var attachments: Set<AttachmentID> {
        Set(rows.values.filter { !$0.isWritten }.compactMap { $0.local?.content.attachmentID })
    }

    static let name = "state.json"
}

// Its form as JSON, with a checksum. Nothing writes it any more.
extension EarlierState {
    private struct Damaged: Error {}

    /// - Returns: nil if it is damaged, or of another format.
    init?(json bytes: [UInt8]) {
        do { try self.init(reading: bytes) } catch { return nil }
    }

    private init(reading bytes: [UInt8]) throws {
        let json = try JSONReader.parse(bytes)
        guard json["format"]?.integer == 1, Self.isIntact(bytes, json), let document = json["document"]?.string,
            let path = json["path"]?.string, let sha256 = json["sha256"]?.string,
            let inode = json["inode"]?.string.flatMap(UInt64.init), let size = json["size"]?.integer,
            let changed = json["changed"]?.integer, let rows = json["rows"]?.array,
            let conflicts = json["conflicts"]?.array
        else { throw Damaged() }
        (self.document, self.path) = (document, path)
        version = FileVersion(inode: inode, size: size, changed: changed, sha256: sha256)
        isPrivate = json["private"]?.bool == true
        earlier.add(
            (json["earlier"]?.array ?? []).compactMap { entry in
                guard let size = entry["size"]?.integer, let hash = entry["sha256"]?.string else { return nil }
                return FileVersion.Contents(size: size, sha256: hash)
            })
        sharesIDs = json["sharesIDs"]?.bool == true
        for row in rows {
            let base = try Self.record(row["base"])
            self.rows[try Self.id(row)] = LocalFileState.Row(
                base: base, local: row["same"]?.bool == true ? base : try Self.record(row["mine"]))
        }
        for row in conflicts {
            self.conflicts[try Self.id(row)] = LocalFileState.Conflict(
                base: try Self.record(row["base"]), local: try Self.record(row["mine"]),
                remote: try Self.record(row["theirs"]))
        }
        copying = json["copying"]?.string
        for row in json["lost"]?.array ?? [] {
            guard let mark = FileCore.LostMark(json: row) else { throw Damaged() }
            lost[try Self.id(row)] = mark
        }
        intent = try json["writing"].map(Self.intent)
        checksum = SHA256.hash(data: bytes).hexadecimal
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

    /// Whether the bytes end with the hash of those before it, or are of a version that wrote none.
    private static func isIntact(_ bytes: [UInt8], _ json: JSON) -> Bool {
        guard json["checked"] != nil || json["checksum"] != nil else { return true }
        func tail(_ hash: String) -> String { #","checksum":"\#(hash)"}"# }
        let length = tail(String(repeating: "0", count: 64)).utf8.count
        guard bytes.count > length else { return false }
        let hash = SHA256.hash(data: Array(bytes.dropLast(length))).hexadecimal
        return bytes.suffix(length).elementsEqual(tail(hash).utf8)
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

/// Finds what engines of earlier versions have left in a folder. All functions block.
struct EarlierStates: Sendable {
    let folder: String

    enum Finding {
        case nothing
        case state(EarlierState)
        case damaged(DamagedKeptFile)
    }

    /// Returns all states, and those that cannot be read.
    func all() -> (states: [EarlierState], damaged: [DamagedKeptFile]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (states, damaged): ([EarlierState], [DamagedKeptFile]) = ([], [])
        for name in names.sorted() where !name.begins(with: ".") {
            switch look(name) {
            case .nothing: break
            case .state(let state): states.append(state)
            case .damaged(let file): damaged.append(file)
            }
        }
        return (states, damaged)
    }

    /// What is in the folder of a document.
    func look(_ name: String) -> Finding {
        let path = "\(folder)/\(name)/\(EarlierState.name)"
        let bytes: [UInt8]
        do throws(OwnFileError) { bytes = try OpenFile(path).bytes() } catch {
            if error == .missing { return .nothing }
            return .damaged(DamagedKeptFile(path: path, problem: "it cannot be read: \(error.reason)", pdf: nil))
        }
        guard var state = EarlierState(json: bytes), state.document.isExactly(name) else {
            return .damaged(
                DamagedKeptFile(
                    path: path, problem: bytes.isEmpty ? "it is empty" : "it is damaged",
                    pdf: EarlierState.path(inDamaged: bytes), wasRead: true))
        }
        state.folder = "\(folder)/\(name)"
        return .state(state)
    }

    /// Removes what an engine of an earlier version was writing beside a file when it was killed.
    static func removeLeftovers(of path: String) {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return }
        let folder = String(path[...slash])
        let name = String(path[path.unicodeScalars.index(after: slash)...])
        let start = ".\(name.prefix(scalars: 60).prefix(bytes: 200))."
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.ends(with: ".postilla-new") {
            guard let parts = name.dropping(prefix: start)?.split(scalar: "."), parts.count == 3,
                let pid = pid_t(parts[0]), ProcessIdentity.hasEnded(pid)
            else { continue }
            unlink(folder + name)
        }
    }
}

extension OpenFile {
    /// Reads the whole file. Blocks.
    fileprivate func bytes() throws(OwnFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .failed(errno) }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }
}
