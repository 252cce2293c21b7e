import Annotations
import DocumentEngine
import FoundationEssentials
import Glibc
import Instant
import SyncProtocol

/// Something that is kept for a PDF and cannot be read.
struct OwnFileDamage: Hashable, Sendable {
    var path: String
    /// `it is damaged`
    var problem: String
    /// The path of the PDF; nil: unknown.
    var file: String?

    init(_ damage: FileReport.Damage) { (path, problem, file) = (damage.path, damage.problem, damage.file) }

    init(_ damage: DamagedKeptFile) { (path, problem, file) = (damage.path, damage.problem, damage.pdf) }

    var sentence: String {
        "changes kept for \(file?.onOneLine ?? "a PDF") cannot be read: \(path.onOneLine): \(problem)"
    }

    /// Why a command fails that has left them out; nil without any.
    static func failure(_ damage: [OwnFileDamage]) -> String? {
        guard !damage.isEmpty else { return nil }
        // Without the name of its PDF, no command can find it.
        let nameless = damage.filter { $0.file == nil }.map { $0.folder.onOneLine }
        var ways = nameless.isEmpty ? [] : ["by removing \(nameless.shortList)"]
        if damage.contains(where: { $0.file != nil }) { ways.append("with postilla storage remove --file") }
        return damage.map(\.sentence).shortList
            + "; put back a copy of it, or give it up \(ways.joined(separator: ", or "))"
    }

    /// The same for a file that is open.
    static func failure(_ report: FileReport) -> String? { failure(report.damaged.map(OwnFileDamage.init)) }

    /// The folder of what is kept for the PDF.
    private var folder: String { path.parted(atLast: "/").map { String($0.0) } ?? path }

    /// Returns what is damaged on disk, including the copies of PDFs and attachments that changes need. Reads all of it.
    static func all(_ folders: Folders) -> [OwnFileCheck] {
        let folder = EngineFolder(folders)
        let kept = KeptFiles(folder: folder.kept)
        let (files, damaged) = kept.all()
        let found = files.map { file in
            OwnFileCheck(
                path: file.database, file: file.path, bytes: OwnFileList.bytes(file),
                damage: kept.damage(besides: file).map(OwnFileDamage.init))
        }
        return found
            + damaged.map { damage in
                var status = stat()
                let bytes = stat(damage.path, &status) == 0 ? Int64(status.st_size) : 0
                return OwnFileCheck(
                    path: damage.path, file: damage.pdf, bytes: bytes, damage: [OwnFileDamage(damage)])
            }
    }
}

/// What a check found of the changes that are kept for one PDF.
struct OwnFileCheck: Hashable, Sendable {
    /// Of the file that has them.
    var path: String
    /// The path of the PDF; nil: unknown.
    var file: String?
    var bytes: Int64
    var damage: [OwnFileDamage]

    var problem: String? { damage.isEmpty ? nil : damage.map { "\($0.path): \($0.problem)" }.shortList }

    var json: String {
        JSONWriter.text {
            $0.member("path", path)
            $0.member("bytes", bytes)
            $0.member("problem", orNull: problem)
            $0.member("details", .array(damage.map { JSON.string("\($0.path): \($0.problem)") }))
            $0.member("file", orNull: file)
        }
    }
}
