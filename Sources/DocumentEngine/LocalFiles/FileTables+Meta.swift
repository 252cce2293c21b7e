import Annotations
import EngineCore
import FileCore
import SQLite

// What the database of a local PDF has once.
extension FileTables {
    /// Each is a row of its own, so that an edit writes none of them, and what is damaged hides no other one.
    private enum Name: String {
        case document, path, fence, facts, intent
    }

    /// Whether the database is complete: its file exists a moment before that.
    func isMade() throws -> Bool {
        try transaction.one("SELECT 1 FROM file_meta LIMIT 1") { _ in true } ?? false
    }

    /// Writes what a database has from its first transaction on.
    func make(document: String, path: String, fence: String) throws {
        try put(.document, document)
        try put(.path, path)
        try put(.fence, fence)
        try put(FileMeta())
    }

    /// Makes the database an unfinished one.
    func unmake() throws { try transaction.run("DELETE FROM file_meta") }

    /// The word of the engine that has opened the database last.
    func fence() throws -> String { try needed(.fence) }
    func setFence(_ fence: String) throws { try put(.fence, fence) }

    func document() throws -> String { try needed(.document) }

    /// The path of the PDF, absolute.
    func path() throws -> String { try needed(.path) }
    func setPath(_ path: String) throws { try put(.path, path) }

    func meta() throws -> FileMeta { try FileMeta(text: needed(.facts)) }
    func put(_ meta: FileMeta) throws { try put(.facts, meta.text) }

    func intent() throws -> LocalFileState.Intent? { try value(.intent).map(FileRecords.intent) }

    func put(_ intent: LocalFileState.Intent?) throws {
        if let intent { return try put(.intent, FileRecords.text(intent)) }
        try transaction.run("DELETE FROM file_meta WHERE name = ?", .text(Name.intent.rawValue))
        _ = transaction.damage.forget(StoredRow(.fileMeta, [Name.intent.rawValue]))
    }

    private static let one = "SELECT \(StoredTable.fileMeta.all) FROM file_meta WHERE name = ?"

    /// - Throws: ``DamagedRow``
    private func value(_ name: Name) throws -> String? {
        try transaction.first(.fileMeta, Self.one, .text(name.rawValue)) { $0.text(1) }
    }

    private func needed(_ name: Name) throws -> String {
        guard let value = try value(name) else { throw DamagedRow(StoredTable.fileMeta.noun) }
        return value
    }

    private func put(_ name: Name, _ value: String) throws {
        try transaction.put(.fileMeta, .text(name.rawValue), .text(value))
        _ = transaction.damage.forget(StoredRow(.fileMeta, [name.rawValue]))
    }
}
