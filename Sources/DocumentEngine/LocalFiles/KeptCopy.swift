import Annotations
import FileCore
import FoundationEssentials
import Glibc

/// The copy of a PDF as it was last read or written: it is needed if the file is deleted or cannot be read, or if its text
/// changes. All functions block.
struct KeptCopy: Sendable {
    /// The folders of the document: on disk, and usually in memory.
    let data: String
    let runtime: String

    /// A copy in memory must not take much of it. A larger file's marks cannot be found by their words if it gets another
    /// text.
    static let mostInMemory: Int64 = 64 << 20
    private static let start = "base.pdf."

    /// Keeps a copy of a version, if it does not have it yet. A file that has changed since cannot be copied as it was.
    ///
    /// - Parameters:
    ///   - path: of the PDF.
    ///   - place: where the database is.
    ///   - hasMarks: whether something may have to be found by its words again.
    func keep(
        _ version: FileVersion.Contents, of path: String, in place: LocalFileCore.Place, hasMarks: Bool
    ) throws {
        guard place == .data || (hasMarks && version.size <= Self.mostInMemory) else { return }
        let folder = folder(place)
        let copy = "\(folder)/\(Self.name(version))"
        guard access(copy, F_OK) != 0 else { return }
        try PrivateFiles.make(folder: folder)
        let new = "\(folder)/\(Self.start)new"
        unlink(new)
        let source = self.path(of: version) ?? path
        guard (try? PrivateFiles.copy(file: source, to: new)) != nil,
            try FileFacts.read(new).sha256.isExactly(version.sha256)
        else {
            unlink(new)
            return
        }
        guard rename(new, copy) == 0 else { throw OwnFileError(errno: errno) }
        if place == .data { try FileRights.sync(folder: folder) }
    }

    /// Keeps a copy that another folder has of a version, on disk; durable but for its name.
    func bring(_ copy: String, of version: FileVersion.Contents) throws {
        let (target, new) = ("\(data)/\(Self.name(version))", "\(data)/\(Self.start)new")
        guard access(target, F_OK) != 0 else { return }
        unlink(new)
        do { try PrivateFiles.copy(file: copy, to: new) } catch {
            unlink(new)
            throw error
        }
        guard rename(new, target) == 0 else { throw OwnFileError(errno: errno) }
    }

    /// Removes all other copies, also that of the same version in the other place.
    func dropOthers(than version: FileVersion.Contents, in place: LocalFileCore.Place) {
        let name = Self.name(version)
        let isThere = access("\(folder(place))/\(name)", F_OK) == 0
        for folder in [data, runtime] {
            let isElsewhere = isThere && !folder.isExactly(self.folder(place))
            for found in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where found.begins(with: Self.start) && (isElsewhere || !found.isExactly(name)) {
                unlink("\(folder)/\(found)")
            }
        }
    }

    /// Returns the path of the copy of a version; nil if there is none.
    func path(of version: FileVersion.Contents) -> String? {
        [data, runtime].map { "\($0)/\(Self.name(version))" }.first { access($0, F_OK) == 0 }
    }

    /// Returns the copy of a version if it still has its bytes; nil if there is none.
    ///
    /// - Throws: ``OwnFileError/copyDamaged(_:)``
    func intact(_ version: FileVersion.Contents) throws(OwnFileError) -> String? {
        // It may be moved to the other folder meanwhile.
        for _ in 0..<3 {
            guard let copy = path(of: version) else { return nil }
            let file: OpenFile
            do throws(OwnFileError) { file = try OpenFile(copy) } catch {
                if error == .missing { continue }
                throw .copyDamaged(copy)
            }
            guard try file.hash(upTo: .max).hex.isExactly(version.sha256) else { throw .copyDamaged(copy) }
            return copy
        }
        return nil
    }

    private func folder(_ place: LocalFileCore.Place) -> String { place == .data ? data : runtime }

    /// The name says which version it is, so that it need not be read to know.
    private static func name(_ version: FileVersion.Contents) -> String { start + version.sha256.prefix(scalars: 16) }
}
