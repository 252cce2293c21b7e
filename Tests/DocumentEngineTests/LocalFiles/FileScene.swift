import Annotations
import EngineCore
import FileCore
import Foundation
import TestSupport

@testable import DocumentEngine

/// Databases of local PDFs in a folder of their own, and records for them.
struct FileScene {
    let folder: TemporaryFolder
    static let document = "01"
    static let pdf = "/home/ana/my \"best\" paper.pdf"

    init() throws { folder = try TemporaryFolder() }

    var parent: String { folder.path + "/kept" }
    var home: String { "\(parent)/\(Self.document)" }

    func create(_ document: String = document, fence: String = "first") throws -> FileDatabase {
        try FileDatabase.create(document: document, path: Self.pdf, in: parent, fence: fence)
    }

    func open(_ fence: String = "next") throws -> FileDatabase {
        try FileDatabase.open(document: Self.document, in: parent, fence: fence)
    }

    /// Awkward on purpose: what a database has must be what was stored, byte for byte.
    static func record(_ id: String, _ text: String = "text", by person: String? = nil) throws -> Record {
        let text = JSON.string(text).text
        return Record(
            id: id, content: try Content(#"{"type":"pspdfkit/note","v":2,"x":1.50,"pageIndex":0,"text":\#(text)}"#),
            createdBy: person, updatedBy: person.map { $0 + "\u{301}" }, group: person == nil ? nil : "g\u{0}\"")
    }

    static func version(_ number: Int) -> FileVersion {
        FileVersion(
            inode: .max - UInt64(number), size: 1 << 40 + Int64(number), changed: 1_795_000_000_123_456_789,
            sha256: String(repeating: "\(number % 10)", count: 64))
    }

    /// Puts the document with these base records, as the engine does when it takes a file in.
    static func takeIn(_ records: [Record], _ store: any StoreWriting) throws {
        let base = try store.addBase(records)
        try store.put(
            ServerDocument(
                id: document, title: "paper", pdfSHA256: "ab", pdfBytes: 1, createdAt: Timestamp(milliseconds: 1),
                base: base, pages: [.init(width: 612, height: 792)]))
        _ = try store.addLayer(LayerKey(document: document, name: ""), generation: "g")
    }
}

extension FileDatabase {
    func state() throws -> LocalFileState { try read { try FileTables($0).state() } }
    func apply(_ changes: [LocalFileState.Change]) throws { try write { try FileTables($0).apply(changes) } }
    func row(_ id: String) throws -> LocalFileState.Row? { try read { try FileTables($0).row(ByteOrdered(id)) } }

    /// How many rows the table itself has.
    func storedRows() throws -> Int {
        try read { try FileTables($0).transaction.number("SELECT count(*) FROM file_row") }
    }

    /// Changes something behind the back of the checksums.
    func spoil(_ sql: StaticString) throws { try write { try FileTables($0).transaction.run(sql) } }
}
