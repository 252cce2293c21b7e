import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import GRDB
import Glibc
import SQLite

/// Reads what a folder keeps of local PDFs, one database each, without an engine and without changing it. Blocks.
package struct KeptFiles: Sendable {
    let folder: String
    let temporary: String

    /// - Parameter temporary: where copies are made of what cannot be read in its place; nil: where the system has such
    ///   files.
    package init(folder: String, temporary: String? = nil) {
        self.folder = folder
        self.temporary = temporary ?? FileManager.default.temporaryDirectory.path
    }

    /// What is in one folder.
    private enum Finding {
        /// Nothing that was ever answered from: an engine was killed while it made it.
        case nothing
        /// - Parameter damagedRows: how many rows are left out.
        case file(KeptFile, damagedRows: Int)
        case damaged(DamagedKeptFile)
    }

    /// Returns all files, and what cannot be read. A file of which only some rows are damaged is in both.
    package func all() -> (files: [KeptFile], damaged: [DamagedKeptFile]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (files, damaged): ([KeptFile], [DamagedKeptFile]) = ([], [])
        for name in names.sorted() where !name.begins(with: ".") {
            switch look(name) {
            case .nothing: break
            case .file(let file, let count):
                files.append(file)
                guard count > 0 else { break }
                damaged.append(
                    DamagedKeptFile(
                        path: file.database, problem: "\(count) of its rows \(count == 1 ? "is" : "are") damaged",
                        pdf: file.path, isPartial: true, wasRead: true))
            case .damaged(let file): damaged.append(file)
            }
        }
        return (files, damaged)
    }

    /// Returns why the database of a document could not be opened.
    ///
    /// - Parameter error: what was thrown.
    func damage(of document: String, after error: any Error) -> DamagedKeptFile {
        if case .damaged(let damage) = look(document) { return damage }
        return DamagedKeptFile(
            path: FileDatabase.path(in: "\(folder)/\(document)"), problem: "it cannot be read: \(error)",
            pdf: try? database(document).read { try tables($0, DamageLog()) { try $0.path() } })
    }

    private func database(_ name: String) -> KeptDatabase {
        KeptDatabase(path: FileDatabase.path(in: "\(folder)/\(name)"), temporary: temporary)
    }

    private func tables<Result>(
        _ database: Database, _ damage: DamageLog, _ body: (FileTables) throws -> Result
    ) throws -> Result {
        let cache = StatementCache()
        defer { cache.finalize() }
        let statements = try cache.statements(of: database)
        return try body(FileTables(SQLiteTransaction(database: database, statements: statements, damage: damage)))
    }

    private func look(_ name: String) -> Finding {
        let database = database(name)
        guard access(database.path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) else { return .nothing }
        var pdf: String?
        func damaged(_ problem: String, wasRead: Bool) -> Finding {
            .damaged(DamagedKeptFile(path: database.path, problem: problem, pdf: pdf, wasRead: wasRead))
        }
        do {
            return try database.read { connection in
                // A file has its tables from the beginning.
                guard try connection.tableExists(StoredTable.fileMeta.name) else {
                    return damaged("it is damaged", wasRead: true)
                }
                if try FileSchema.migrator.hasBeenSuperseded(connection) {
                    return damaged("it was written by a newer version", wasRead: false)
                }
                let damage = DamageLog()
                return try tables(connection, damage) { tables in
                    guard try tables.isMade() else { return .nothing }
                    pdf = try? tables.path()
                    // One that was set aside has another name.
                    guard try tables.document().isExactly(name) else { return damaged("it is damaged", wasRead: true) }
                    return .file(try file(tables, name), damagedRows: damage.count)
                }
            }
        } catch let error as DatabaseError {
            switch error.resultCode.primaryResultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: return damaged("it is damaged", wasRead: true)
            default: return damaged("it cannot be read: \(reason(database.path, error))", wasRead: false)
            }
        } catch is DamagedRow { return damaged("it is damaged", wasRead: true) } catch let problem as PlaceProblem {
            return damaged("it cannot be read: \(problem.sentence)", wasRead: false)
        } catch {
            return damaged("it cannot be read: \(error)", wasRead: false)
        }
    }

    private func reason(_ path: String, _ error: DatabaseError) -> String {
        guard access(path, R_OK) == 0 else { return String(cString: strerror(errno)) }
        return error.message ?? error.resultCode.description
    }

    private func file(_ tables: FileTables, _ name: String) throws -> KeptFile {
        let path = try tables.path()
        let state = try tables.state()
        let unwritten = state.rows.filter { !$0.value.isWritten || state.conflicts[$0.key] != nil }
            .sorted { $0.key < $1.key }
        return KeptFile(
            document: name, path: path, folder: "\(folder)/\(name)", isPrivate: state.isPrivate, owners: state.owners,
            isShared: state.isShared, sha256: state.version?.sha256,
            unwrittenRecords: unwritten.map { ($0.value.base, $0.value.local) }, unwritten: try tables.unwritten(),
            conflicts: state.conflicts.count, isBeingWritten: state.intent != nil || !state.hidden.isEmpty)
    }

    // MARK: Damage

    /// Returns what a thorough check finds damaged: in the database, in the copy of the PDF, and in attachments.
    package func damage(besides file: KeptFile) -> [DamagedKeptFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder)) ?? []
        let copies = names.sorted().compactMap { name -> DamagedKeptFile? in
            let path = "\(file.folder)/\(name)"
            let isCopy = file.sha256.map { name.isExactly(Self.copyName($0)) } ?? false
            guard let hash = isCopy ? file.sha256 : AttachmentID(name)?.hex else { return nil }
            do throws(OwnFileError) {
                guard try !OpenFile(path).hash(upTo: .max).hex.isExactly(hash) else { return nil }
                return DamagedKeptFile(path: path, problem: "it is damaged", pdf: file.path, wasRead: true)
            } catch {
                return DamagedKeptFile(path: path, problem: "it cannot be read: \(error.reason)", pdf: file.path)
            }
        }
        return databaseDamage(file) + copies
    }

    /// The name says which version it is, so that it need not be read to know.
    static func copyName(_ sha256: String) -> String { "base.pdf." + sha256.prefix(scalars: 16) }

    private func databaseDamage(_ file: KeptFile) -> [DamagedKeptFile] {
        func damaged(_ problem: String, wasRead: Bool = true) -> [DamagedKeptFile] {
            [
                DamagedKeptFile(
                    path: file.database, problem: problem, pdf: file.path, isPartial: true, wasRead: wasRead)
            ]
        }
        do {
            let problems = try database(file.document).read {
                try StoreCheck.problems(in: $0, tables: FileSchema.checked)
            }
            guard let first = problems.first else { return [] }
            let more = problems.count == 1 ? "" : " and \(problems.count - 1) more"
            return damaged("it is damaged (\(first)\(more))")
        } catch { return damaged("it cannot be read: \(error)", wasRead: false) }
    }

    /// Gives the folder of a damaged database, which nobody may have open, a name of its own, so that nothing of it is
    /// replaced or removed. One that could not be read, or is damaged only in parts, stays.
    ///
    /// - Returns: where it is now.
    package func setAside(_ damaged: DamagedKeptFile) -> DamagedKeptFile {
        let old = Storage.folder(of: damaged.path)
        let name = old.split(separator: "/").last ?? ""
        guard damaged.wasRead, !damaged.isPartial, !name.utf8.contains(UInt8(ascii: ".")) else { return damaged }
        for number in 1...1000 {
            let new = old + (number == 1 ? ".damaged" : ".damaged-\(number)")
            guard access(new, F_OK) != 0 else { continue }
            guard rename(old, new) == 0 else { return damaged }
            try? PrivateFiles.sync(folder: folder)
            var moved = damaged
            moved.path = FileDatabase.path(in: new)
            return moved
        }
        return damaged
    }
}
