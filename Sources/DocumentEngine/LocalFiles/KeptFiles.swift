import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import Glibc

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
        case file(KeptFile)
        case damaged(DamagedKeptFile)
    }

    /// Returns all files, and what cannot be read.
    package func all() -> (files: [KeptFile], damaged: [DamagedKeptFile]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (files, damaged): ([KeptFile], [DamagedKeptFile]) = ([], [])
        for name in names.sorted() where !name.begins(with: ".") {
            switch look(name) {
            case .nothing: break
            case .file(let file): files.append(file)
            case .damaged(let file): damaged.append(file)
            }
        }
        return (files, damaged)
    }

    /// Returns what was set aside before.
    func setAside() -> [DamagedKeptFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { name in
            guard !name.begins(with: "."), name.utf8.contains(UInt8(ascii: ".")) else { return nil }
            if case .damaged(let file) = look(name) { return file }
            return nil
        }
    }

    /// Returns why the database of a document could not be opened.
    ///
    /// - Parameter error: what was thrown.
    func damage(of document: String, after error: any Error) -> DamagedKeptFile {
        if case .damaged(let damage) = look(document) { return damage }
        return DamagedKeptFile(
            path: FileDatabase.path(in: "\(folder)/\(document)"), problem: "it cannot be read: \(error)",
            pdf: try? database(document).read(DamageLog()) { try FileTables($0).path() })
    }

    func database(_ name: String) -> KeptDatabase {
        KeptDatabase(path: FileDatabase.path(in: "\(folder)/\(name)"), temporary: temporary)
    }

    private func look(_ name: String) -> Finding {
        let database = database(name)
        guard access(database.path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) else { return earlier(name) }
        var pdf: String?
        func damaged(_ problem: String, wasRead: Bool) -> Finding {
            .damaged(DamagedKeptFile(path: database.path, problem: problem, pdf: pdf, wasRead: wasRead))
        }
        do {
            let damage = DamageLog()
            return try database.read(damage) { transaction in
                let tables = try FileTables(transaction)
                guard try tables.isMade() else { return earlier(name) }
                pdf = try? tables.path()
                // One that was set aside has another name.
                guard try tables.document().isExactly(name) else { throw KeptDatabase.Problem.damaged }
                let file = try file(tables, name)
                try tables.checkLayer()
                guard damage.count > 0 else { return .file(file) }
                return damaged(
                    "\(damage.count) of its rows \(damage.count == 1 ? "is" : "are") damaged", wasRead: true)
            }
        } catch KeptDatabase.Problem.damaged {
            return damaged("it is damaged", wasRead: true)
        } catch KeptDatabase.Problem.newer {
            return damaged("it was written by a newer version", wasRead: false)
        } catch KeptDatabase.Problem.unreadable(let reason) {
            return damaged("it cannot be read: \(reason)", wasRead: false)
        } catch { return damaged("it cannot be read: \(error)", wasRead: false) }
    }

    /// What an engine of an earlier version has left.
    private func earlier(_ name: String) -> Finding {
        switch EarlierStates(folder: folder).look(name) {
        case .nothing: return .nothing
        case .damaged(let file): return .damaged(file)
        case .state(let state):
            let unwritten = state.rows.filter { !$0.value.isWritten || state.conflicts[$0.key] != nil }
                .sorted { $0.key < $1.key }
            return .file(
                KeptFile(
                    document: name, path: state.path, folder: state.folder, isPrivate: state.isPrivate, owners: [],
                    isShared: false, sha256: state.version.sha256,
                    unwrittenRecords: unwritten.map { ($0.value.base, $0.value.local) }, unwritten: unwritten.count,
                    conflicts: state.conflicts.count,
                    isBeingWritten: state.intent != nil || state.copying != nil, isEarlier: true))
        }
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

    /// Whether a living process has the file open in a private session, as a folder in memory tells.
    ///
    /// - Parameter path: absolute, without links.
    package func isOpenPrivately(_ path: String) -> Bool {
        all().files.contains { $0.isPrivate && $0.path.isExactly(path) && $0.owners.contains(where: Self.isAlive) }
    }

    private static func isAlive(_ user: FileUser) -> Bool {
        let process = ProcessIdentity(pid: user.pid)
        return process.pid <= 0 || (process.isAlive && process.start == user.start)
    }

    /// Copies what is kept of a file, as it is at one moment, for another engine that has a data folder of its own.
    package func copy(_ file: KeptFile, to parent: String) throws {
        let target = "\(parent)/\(file.document)"
        try PrivateFiles.make(folder: target)
        if file.isEarlier {
            try PrivateFiles.copy(file: file.database, to: "\(target)/\(EarlierState.name)")
        } else {
            try database(file.document).copy(to: FileDatabase.path(in: target))
            try PrivateFiles.make(folder: FileBlobs.folder(in: target))
        }
        for name in copies(of: file).map(\.name) {
            try PrivateFiles.copy(file: "\(file.folder)/\(name)", to: "\(target)/\(name)")
        }
    }

    /// The copy of the PDF and the attachments that are there, with the hashes that they should have.
    func copies(of file: KeptFile) -> [(name: String, sha256: String)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder)) ?? []
        let copies = names.sorted().compactMap { name in
            file.sha256.flatMap { name.isExactly(Self.copyName($0)) ? (name, $0) : nil }
        }
        guard !file.isEarlier else {
            return copies + names.sorted().compactMap { AttachmentID($0) }.map { ($0.hex, $0.hex) }
        }
        return copies + FileBlobs.names(in: file.folder).map { ("attachments/\($0)", $0.hex) }
    }

    /// The name says which version it is, so that it need not be read to know.
    static func copyName(_ sha256: String) -> String { "base.pdf." + sha256.prefix(scalars: 16) }
}
