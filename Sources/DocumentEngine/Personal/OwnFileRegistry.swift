import Annotations
import FoundationEssentials
import Glibc

/// A file that has changes of a PDF, or something that they need, and cannot be read.
package struct DamagedOwnFile: Hashable, Sendable {
    package var path: String
    /// `it is damaged`
    package var problem: String
    /// The path of the PDF; nil: unknown.
    package var pdf: String?
    /// Whether its bytes could be read, so that it will not be better later.
    var wasRead = false

    /// Whether it may concern a PDF.
    ///
    /// - Parameter path: as ``OwnFileState/path(of:)`` returns it.
    package func concerns(_ path: String) -> Bool { pdf.map { $0.isExactly(path) } ?? true }
}

/// The states of a person's PDFs, one file each, replaced in one step: a kill leaves the old one or the new one.
///
/// A state with something to lose is on disk, in a folder of its own together with the attachments of its records. All
/// other states are in memory, and go with the engine's data. Either has a copy of the PDF as it was last read if marks may
/// have to be found by their words again.
package struct OwnFileRegistry: Sendable {
    let kept: String
    let memory: String

    /// - Parameters:
    ///   - kept: the folder on disk.
    ///   - memory: the folder in memory.
    package init(kept: String, memory: String) { (self.kept, self.memory) = (kept, memory) }

    /// Returns the states on disk, and those that cannot be read. Blocks.
    package func keptStates() -> (states: [OwnFileState], damaged: [DamagedOwnFile]) { states(in: kept) }

    /// Returns all states. Nothing is lost with one in memory that cannot be read. Blocks.
    func all() -> (states: [OwnFileState], damaged: [DamagedOwnFile]) {
        let (one, other) = (states(in: kept), states(in: memory))
        let known = Set(one.states.map(\.document))
        return (one.states + other.states.filter { !known.contains($0.document) }, one.damaged)
    }

    /// Whether a living process has the file open in a private session. Blocks.
    ///
    /// - Parameter path: as ``OwnFileState/path(of:)`` returns it.
    package func isOpenPrivately(_ path: String) -> Bool {
        states(in: memory).states.contains {
            $0.isPrivate && $0.path.isExactly(path) && $0.owners.contains(where: \.isAlive)
        }
    }

    private func states(in folder: String) -> (states: [OwnFileState], damaged: [DamagedOwnFile]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (states, damaged): ([OwnFileState], [DamagedOwnFile]) = ([], [])
        for name in names.sorted() where !name.begins(with: ".") {
            let path = "\(folder)/\(name)/state.json"
            let bytes: [UInt8]
            do throws(OwnFileError) {
                guard let found = try Self.bytes(path) else { continue }
                bytes = found
            } catch {
                damaged.append(DamagedOwnFile(path: path, problem: "it cannot be read: \(error.reason)", pdf: nil))
                continue
            }
            if var state = OwnFileState(json: bytes), state.document.isExactly(name) {
                state.folder = "\(folder)/\(name)"
                states.append(state)
            } else {
                damaged.append(
                    DamagedOwnFile(
                        path: path, problem: bytes.isEmpty ? "it is empty" : "it is damaged",
                        pdf: OwnFileState.path(inDamaged: bytes), wasRead: true))
            }
        }
        return (states, damaged)
    }

    /// - Returns: nil if there is no such file.
    private static func bytes(_ path: String) throws(OwnFileError) -> [UInt8]? {
        let file: OpenFile
        do throws(OwnFileError) { file = try OpenFile(path) } catch {
            if error == .missing { return nil }
            throw error
        }
        var bytes = [UInt8](repeating: 0, count: Int(file.status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(file.descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .failed(errno) }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    /// Gives the folder of a damaged state a name of its own, so that nothing of it is replaced or removed. One that could
    /// not be read stays: it may be readable later. Blocks.
    ///
    /// - Returns: where the state is now.
    func setAside(_ damaged: DamagedOwnFile) -> DamagedOwnFile {
        let folder = String(damaged.path.dropLast("/state.json".count))
        let name = folder.split(separator: "/").last ?? ""
        guard damaged.wasRead, !name.utf8.contains(UInt8(ascii: ".")) else { return damaged }
        for number in 1...1000 {
            let new = folder + (number == 1 ? ".damaged" : ".damaged-\(number)")
            guard access(new, F_OK) != 0 else { continue }
            guard rename(folder, new) == 0 else { return damaged }
            try? PrivateFiles.sync(folder: kept)
            var moved = damaged
            moved.path = new + "/state.json"
            return moved
        }
        return damaged
    }

    /// Moves the stored form of a state that is known to a folder of its own if it cannot be read any more. Blocks.
    ///
    /// - Returns: what was moved; nil if the stored form can be read. It must then be stored again.
    func setAsideIfDamaged(_ state: OwnFileState) -> DamagedOwnFile? {
        let path = "\(kept)/\(state.document)/state.json"
        guard Self.isKept(state) else { return nil }
        do throws(OwnFileError) {
            guard let bytes = try Self.bytes(path), !OwnFileState.isReadable(bytes) else { return nil }
        } catch {}
        for number in 1...1000 {
            let folder = "\(kept)/\(state.document).damaged" + (number == 1 ? "" : "-\(number)")
            guard mkdir(folder, 0o700) == 0 else {
                guard errno == EEXIST else { return nil }
                continue
            }
            guard rename(path, folder + "/state.json") == 0 else {
                rmdir(folder)
                return nil
            }
            try? PrivateFiles.sync(folder: kept)
            return DamagedOwnFile(
                path: folder + "/state.json", problem: "it was damaged, and the engine has stored its changes anew",
                pdf: state.path, wasRead: true)
        }
        return nil
    }

    /// Stores a state; durable when it returns if it has something to lose. Blocks.
    func save(_ state: OwnFileState) throws {
        let isKept = Self.isKept(state)
        let (here, there) = isKept ? (kept, memory) : (memory, kept)
        let folder = "\(here)/\(state.document)"
        let isNew = access("\(folder)/state.json", F_OK) != 0
        try PrivateFiles.make(folder: folder)
        try Self.replace("\(folder)/state.json", state.json, isDurable: isKept)
        if isNew, isKept { try PrivateFiles.sync(folder: here) }
        if access("\(there)/\(state.document)", F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: "\(there)/\(state.document)")
        }
    }

    /// Removes what is in memory of a document. On disk there is nothing of a document that may be forgotten, but a copy of
    /// its PDF; a state there could not be read.
    func remove(_ document: String) {
        try? FileManager.default.removeItem(atPath: "\(memory)/\(document)")
        guard access("\(kept)/\(document)/state.json", F_OK) != 0, errno == ENOENT else { return }
        try? FileManager.default.removeItem(atPath: "\(kept)/\(document)")
    }

    static func isKept(_ state: OwnFileState) -> Bool { state.mustBeKept && !state.isPrivate }

    // MARK: Copies of PDFs

    /// A copy in memory must not take much of it. A larger file's marks lose their words if it is replaced by another text
    /// while everything is written.
    private static let maxBytesInMemory: Int64 = 64 << 20

    /// Keeps a copy of the file as it was last read, which is needed if the file is deleted, or its text changes. Blocks.
    func keepBase(of state: OwnFileState) throws {
        let isKept = Self.isKept(state)
        guard isKept || (state.needsBase && state.facts.size <= Self.maxBytesInMemory) else { return }
        let folder = "\(isKept ? kept : memory)/\(state.document)"
        let copy = "\(folder)/\(Self.name(state))"
        guard access(copy, F_OK) != 0 else { return }
        try PrivateFiles.make(folder: folder)
        let new = "\(folder)/base.pdf.new"
        unlink(new)
        // A file that has changed since cannot be copied as it was.
        guard (try? PrivateFiles.copy(file: base(of: state) ?? state.path, to: new)) != nil else { return }
        guard try FileFacts.read(new).sha256 == state.facts.sha256 else {
            unlink(new)
            return
        }
        guard rename(new, copy) == 0 else { throw OwnFileError(errno: errno) }
    }

    /// Removes the copies of earlier versions. Blocks.
    func dropOldBases(of state: OwnFileState) {
        for folder in [kept, memory].map({ "\($0)/\(state.document)" }) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where name.begins(with: "base.pdf.") && !name.isExactly(Self.name(state)) {
                unlink("\(folder)/\(name)")
            }
        }
    }

    /// The path of the copy of the file as it was last read or written; nil if there is none.
    func base(of state: OwnFileState) -> String? {
        [kept, memory].map { "\($0)/\(state.document)/\(Self.name(state))" }.first { access($0, F_OK) == 0 }
    }

    /// Returns the copy of the file if it still has the file's bytes; nil if there is none. Blocks.
    ///
    /// - Throws: ``OwnFileError/copyDamaged(_:)``
    func intactBase(of state: OwnFileState) throws(OwnFileError) -> String? {
        // An edit may move the copy to the other folder.
        for _ in 0..<3 {
            guard let copy = base(of: state) else { return nil }
            let file: OpenFile
            do throws(OwnFileError) { file = try OpenFile(copy) } catch {
                if error == .missing { continue }
                throw .copyDamaged(copy)
            }
            guard try file.hash(upTo: .max).hex == state.facts.sha256 else { throw .copyDamaged(copy) }
            return copy
        }
        return nil
    }

    /// Returns what is damaged of the things that a state on disk needs: the copy of its PDF, and attachments. Blocks.
    package func damage(besides state: OwnFileState) -> [DamagedOwnFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state.folder)) ?? []
        return names.sorted().compactMap { name in
            let path = "\(state.folder)/\(name)"
            let hash = name.isExactly(Self.name(state)) ? state.facts.sha256 : AttachmentID(name)?.hex
            guard let hash else { return nil }
            do throws(OwnFileError) {
                guard try OpenFile(path).hash(upTo: .max).hex != hash else { return nil }
                return DamagedOwnFile(path: path, problem: "it is damaged", pdf: state.path, wasRead: true)
            } catch {
                return DamagedOwnFile(path: path, problem: "it cannot be read: \(error.reason)", pdf: state.path)
            }
        }
    }

    /// The name says which version it is, so that it need not be read to know.
    private static func name(_ state: OwnFileState) -> String { "base.pdf." + state.facts.sha256.prefix(scalars: 16) }

    func attachment(_ id: AttachmentID, of document: String) -> String { "\(kept)/\(document)/\(id.hex)" }

    /// Replaces a file in one step, mode 0600.
    private static func replace(_ path: String, _ bytes: [UInt8], isDurable: Bool) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = PrivateFiles.create(file: temporary)
        guard descriptor >= 0 else { throw OwnFileError(errno: errno) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ PrivateFiles.writeAll($0, to: descriptor) }),
            !isDurable || fsync(descriptor) == 0, rename(temporary, path) == 0
        else {
            let code = errno
            unlink(temporary)
            throw OwnFileError(errno: code)
        }
        if isDurable {
            try PrivateFiles.sync(folder: String(path[..<(path.unicodeScalars.lastIndex(of: "/") ?? path.startIndex)]))
        }
    }
}
