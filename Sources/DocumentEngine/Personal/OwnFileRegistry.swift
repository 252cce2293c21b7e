import Annotations
import FoundationEssentials
import Glibc

/// The states of a person's PDFs, one file each, replaced in one step: a kill leaves the old one or the new one.
///
/// A state with something to lose is on disk, in a folder of its own together with a copy of the PDF as it was last read
/// and the attachments of its records. All other states are in memory, and go with the engine's data.
package struct OwnFileRegistry: Sendable {
    let kept: String
    let memory: String

    /// - Parameters:
    ///   - kept: the folder on disk.
    ///   - memory: the folder in memory.
    package init(kept: String, memory: String) { (self.kept, self.memory) = (kept, memory) }

    /// Returns the states on disk, and the paths of those that cannot be read. Blocks.
    package func keptStates() -> (states: [OwnFileState], damaged: [String]) { states(in: kept) }

    /// Returns all states. Blocks.
    func all() -> (states: [OwnFileState], damaged: [String]) {
        let (one, other) = (states(in: kept), states(in: memory))
        let known = Set(one.states.map(\.document))
        return (one.states + other.states.filter { !known.contains($0.document) }, one.damaged + other.damaged)
    }

    private func states(in folder: String) -> (states: [OwnFileState], damaged: [String]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var (states, damaged): ([OwnFileState], [String]) = ([], [])
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)/state.json"
            guard let data = try? Data(contentsOf: URL(filePath: path)) else { continue }
            if var state = OwnFileState(json: Array(data)), state.document == name {
                state.folder = "\(folder)/\(name)"
                states.append(state)
            } else {
                damaged.append(path)
            }
        }
        return (states, damaged)
    }

    /// Stores a state; durable when it returns if it has something to lose. Blocks.
    func save(_ state: OwnFileState) throws {
        let isKept = state.mustBeKept && !state.isPrivate
        let (here, there) = isKept ? (kept, memory) : (memory, kept)
        let folder = "\(here)/\(state.document)"
        let isNew = access(folder, F_OK) != 0
        try PrivateFiles.make(folder: folder)
        try Self.replace("\(folder)/state.json", state.json, isDurable: isKept)
        if isNew, isKept { try PrivateFiles.sync(folder: here) }
        if access("\(there)/\(state.document)", F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: "\(there)/\(state.document)")
        }
    }

    func remove(_ document: String) {
        for folder in [kept, memory] { try? FileManager.default.removeItem(atPath: "\(folder)/\(document)") }
    }

    /// The copy of the PDF as it was last read or written.
    func base(of document: String) -> String { "\(kept)/\(document)/base.pdf" }

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
            try PrivateFiles.sync(folder: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        }
    }
}
