import EngineCore
import GRDB

/// Verifies that a server can be started on a backup.
struct BackupCheck {
    /// The backup.
    let folder: String
    /// A private copy of its database: opening a database may write to it.
    let database: String

    struct Contents: Sendable {
        let files: NamedFiles
        /// The bytes of all files.
        let bytes: Int64
        /// Whether the database has a restore stamp. Those of older versions lack one.
        let hasStamp: Bool
    }

    private var name: String { "\(folder)/postilla.sqlite" }

    /// Reads every byte. Blocks.
    ///
    /// - Throws: ``BackupError``; ``StoreError`` if the database cannot be read for another reason than damage.
    func contents() throws -> Contents {
        do {
            try checkSchema()
            let problems = try databaseProblems()
            guard problems.isEmpty else { throw BackupError.damaged(folder, problems) }
            return try checkFiles()
        } catch let error as DatabaseError {
            guard [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode) else {
                throw APIError.fullDisk(after: error) ?? StoreError.unusable(name, error.resultCode.description)
            }
            throw BackupError.damaged(folder, ["postilla.sqlite (\(error.resultCode))"])
        }
    }

    private func checkSchema() throws {
        let migrator = SQLiteSchema.migrator
        let (isOurs, isNewer) = try read { database in
            (try !migrator.appliedIdentifiers(database).isEmpty, try migrator.hasBeenSuperseded(database))
        }
        guard isOurs else { throw BackupError.noBackup(folder, "its postilla.sqlite is another database") }
        guard !isNewer else { throw BackupError.newerSchema(folder) }
    }

    /// What is wrong with the database itself.
    private func databaseProblems() throws -> [String] {
        try read { try StoreCheck.problems(in: $0) }.map { problem in
            if case .structure(let why) = problem { return "postilla.sqlite (\(why))" }
            return "postilla.sqlite (\(problem))"
        }
    }

    private func checkFiles() throws -> Contents {
        let (files, hasStamp) = try read { database in
            let stamp = try database.tableExists("mark") ? Row.fetchOne(database, sql: "SELECT mark FROM mark") : nil
            return (try NamedFiles(database), stamp != nil)
        }
        let paths = files.kinds.flatMap { kind in
            kind.names.sorted().map { (name: $0, path: "\(kind.folder)/\($0)\(kind.suffix)") }
        }
        let problems = paths.compactMap { problem(with: $0.path, $0.name) }
        guard problems.isEmpty else { throw BackupError.damaged(folder, problems) }
        let bytes: Int64 = paths.reduce(0) { $0 + (FileStatus("\(folder)/\($1.path)")?.bytes ?? 0) }
        return Contents(files: files, bytes: bytes, hasStamp: hasStamp)
    }

    private func problem(with path: String, _ name: String) -> String? {
        guard NamedFiles.isName(name) else { return "the database names a file that is no SHA-256" }
        guard let status = FileStatus(link: "\(folder)/\(path)") else { return "\(path) is missing" }
        guard status.isFile else { return "\(path) is not a file" }
        do {
            return try FileBlob(path: "\(folder)/\(path)").sha256() == name ? nil : "\(path) does not match its SHA-256"
        } catch { return "\(path) cannot be read" }
    }

    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: database, configuration: configuration)
        do {
            let result = try queue.read(body)
            // The last connection writes the log back into the file, and removes it.
            try queue.close()
            return result
        } catch {
            try? queue.close()
            throw error
        }
    }
}
