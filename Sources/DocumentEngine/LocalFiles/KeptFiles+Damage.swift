import Annotations
import Glibc

// What a thorough check finds, and what becomes of a database that cannot be used.
extension KeptFiles {
    /// Returns what is damaged in the database, in the copy of the PDF, and in attachments. Reads all of it.
    package func damage(besides file: KeptFile) -> [DamagedKeptFile] {
        (file.isEarlier ? [] : databaseDamage(file))
            + copies(of: file).compactMap { name, sha256 in
                let path = "\(file.folder)/\(name)"
                do throws(OwnFileError) {
                    guard try !OpenFile(path).hash(upTo: .max).hex.isExactly(sha256) else { return nil }
                    return DamagedKeptFile(path: path, problem: "it is damaged", pdf: file.path, wasRead: true)
                } catch {
                    return DamagedKeptFile(path: path, problem: "it cannot be read: \(error.reason)", pdf: file.path)
                }
            }
    }

    private func databaseDamage(_ file: KeptFile) -> [DamagedKeptFile] {
        func damaged(_ problem: String, wasRead: Bool = true) -> [DamagedKeptFile] {
            [
                DamagedKeptFile(
                    path: file.database, problem: problem, pdf: file.path, isPartial: true, wasRead: wasRead)
            ]
        }
        do {
            let problems = try database(file.document).problems()
            guard let first = problems.first else { return [] }
            let more = problems.count == 1 ? "" : " and \(problems.count - 1) more"
            return damaged("it is damaged (\(first)\(more))")
        } catch KeptDatabase.Problem.damaged {
            return damaged("it is damaged")
        } catch KeptDatabase.Problem.unreadable(let reason) {
            return damaged("it cannot be read: \(reason)", wasRead: false)
        } catch { return damaged("it cannot be read: \(error)", wasRead: false) }
    }

    /// Renames the folder of a damaged database, which must not be open, or of a damaged state of an earlier version, so that
    /// nothing of it is replaced or removed. One that could not be read, or is damaged only in parts, stays.
    ///
    /// - Returns: where it is now.
    package func setAside(_ damaged: DamagedKeptFile) -> DamagedKeptFile {
        let old = Storage.folder(of: damaged.path)
        let name = old.split(scalar: "/").last ?? ""
        guard damaged.wasRead, !damaged.isPartial, !name.utf8.contains(UInt8(ascii: ".")) else { return damaged }
        for number in 1...1000 {
            let new = old + (number == 1 ? ".damaged" : ".damaged-\(number)")
            guard access(new, F_OK) != 0 else { continue }
            guard rename(old, new) == 0 else { return damaged }
            try? PrivateFiles.sync(folder: folder)
            var moved = damaged
            moved.path = "\(new)/\(damaged.path.split(scalar: "/").last ?? "")"
            return moved
        }
        return damaged
    }
}
