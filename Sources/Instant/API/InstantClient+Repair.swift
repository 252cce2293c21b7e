import Annotations
public import FoundationEssentials
import Glibc
import InstantCore

/// What a repair did.
public struct InstantRepair: Hashable, Sendable {
    /// The file that was damaged.
    public var path: String
    /// The layer as it is now; nil for a PDF.
    public var entry: InstantCacheEntry?
    /// The number of unsent edits that were kept, if the layer's store was replaced; nil if another file was repaired.
    public var keptEdits: Int?
    /// The unsent edits that could not be read, named.
    public var lostEdits: [String] = []
    /// The pages with unsent edits whose edits are not even known.
    public var unreadablePages = 0
    /// The folder with the damaged files, kept because something in them could not be read.
    public var damagedCopy: String?
}

extension InstantClient {
    /// Repairs one damaged file. A layer's store is replaced by a new one with every unsent edit that can be read, and
    /// the next sync loads its records again; other files are removed, and loaded again on request. A kill at any moment
    /// leaves the old store or the new one.
    ///
    /// - Throws: `couldNotWriteToDisk` if the layer is open in any process, or the disk fails; nothing is changed then.
    ///   `couldNotReadFromDiskCache` if it is unknown which layer it is.
    public static func repair(
        _ finding: InstantStorageFinding, in dataDirectory: URL
    ) throws(InstantError) -> InstantRepair {
        try repair(finding, in: dataDirectory, as: nil)
    }

    /// - Parameter identity: Which layer it is, if the damaged files no longer say so.
    package static func repair(
        _ finding: InstantStorageFinding, in dataDirectory: URL, as identity: LayerIdentity?
    ) throws(InstantError) -> InstantRepair {
        let folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        var repair = InstantRepair(path: finding.path, entry: finding.entry)
        guard finding.problem != nil else { return repair }
        guard finding.subject == .store else {
            let name = finding.path.split(scalar: "/").last.map(String.init) ?? ""
            if finding.subject == .attachment, let entry = finding.entry, let id = AttachmentID(name) {
                // Asked again: an edit may have been made since the check.
                repair.damagedCopy = try AttachmentFiles(layer: entry.folder).putAside(id) {
                    finding.isNeeded ? nil : try? InstantCacheEntry.attachmentsInUse(in: entry.folder)
                }
                if repair.damagedCopy != nil { repair.lostEdits = ["the attachment of an unsent edit"] }
            } else {
                try Folders.remove(finding.path)
            }
            return repair
        }
        guard let entry = finding.entry, finding.isRepairable else {
            throw InstantError(.databaseAccessFailed, finding.problem ?? "nothing to repair")
        }
        var random = SystemRandomNumberGenerator()
        let clientID = ULID.make(at: Environment.system.now(), using: &random)
        let named = identity.flatMap { folders.layer($0) == entry.folder ? $0 : nil }
        // A side store belongs to the same layer.
        let known = named ?? (entry.server.isEmpty ? nil : entry.identity)
        let outcome = try InstantError.translating {
            try LayerRepair(path: finding.path, layer: entry.folder).run(identity: known, clientID: clientID)
        }
        repair.entry = InstantCacheEntry.all(in: folders).first { $0.folder == entry.folder }
        repair.keptEdits = outcome.kept
        repair.lostEdits = outcome.lost.map(\.description)
        if outcome.lostCommits > 0 {
            repair.lostEdits.append(StoredDamage.lostCommits(outcome.lostCommits).description)
        }
        repair.unreadablePages = outcome.unreadablePages
        repair.damagedCopy = outcome.damagedCopy
        return repair
    }
}
