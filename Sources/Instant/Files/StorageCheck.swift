import Annotations
public import FoundationEssentials
import Glibc
import InstantCore

/// One file in a data folder, read completely.
public struct InstantStorageFinding: Hashable, Sendable {
    /// A layer's database, its label or an attachment; a PDF.
    public var path: String
    /// The layer; nil for a PDF.
    public var entry: InstantCacheEntry?
    public var bytes: Int64
    /// What is wrong with it, as a sentence; nil if nothing is.
    public var problem: String?
    /// Each damaged record, edit or part, named; at most a few hundred.
    public var details: [String] = []

    let subject: Subject
    /// Whether it is a second copy of the layer, for a token that may see another part of it.
    package var isOfAnotherView = false
    /// Whether a local edit may need an attachment.
    var isNeeded = false

    enum Subject: Hashable {
        case store
        case label
        case attachment
        case pdf
    }

    /// Whether ``InstantClient/repair(_:in:)`` can do anything about it.
    public var isRepairable: Bool { problem != nil && (subject != .store || entry?.isRepairable == true) }
}

extension InstantClient {
    /// Reads every layer with its attachments, and every PDF, in a data folder completely and reports what is damaged.
    /// Changes nothing, and takes as long as reading everything does.
    public static func checkStorage(in dataDirectory: URL) throws(InstantError) -> [InstantStorageFinding] {
        let folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        return InstantCacheEntry.all(in: folders).flatMap { check($0, folders) }
            + Folders.entries(folders.pdfs).filter { $0.ends(with: ".pdf") }.map { name in
                let path = folders.pdfs + "/" + name
                return InstantStorageFinding(
                    path: path, bytes: Folders.size(path),
                    problem: damage(inFile: path, sha256: String(name.dropLast(scalars: 4))).map {
                        "\($0); a repair removes it, and it is downloaded again"
                    }, subject: .pdf)
            }
    }

    /// Returns the findings of the stores, and of every other file that is damaged.
    private static func check(_ entry: InstantCacheEntry, _ folders: Folders) -> [InstantStorageFinding] {
        let path = Folders.database(in: entry.folder)
        var store = InstantStorageFinding(
            path: path, entry: entry, bytes: entry.layerBytes, problem: entry.problem, subject: .store)
        if entry.problem == nil { check(&store) }
        var found = [store]
        for path in Folders.sides(in: entry.folder).map(Folders.database) where LayerRepair.hasStore(path) {
            var side = InstantStorageFinding(
                path: path, entry: entry, bytes: Folders.size(path), problem: nil, subject: .store)
            side.isOfAnotherView = true
            check(&side)
            found.append(side)
        }
        let label = LayerLabel.path(besides: path)
        let isLabelled =
            switch LayerLabel.read(label) {
            case .none: true
            case .damaged: false
            case .label(let label): label.identity.map { folders.layer($0) == entry.folder } ?? true
            }
        if !isLabelled {
            found.append(
                InstantStorageFinding(
                    path: label, entry: entry, bytes: Folders.size(label), problem: "damaged; it is written again",
                    subject: .label))
        }
        let attachments = AttachmentFiles(layer: entry.folder)
        for id in Folders.entries(attachments.folder).compactMap({ AttachmentID($0) }) {
            guard let problem = damage(inFile: attachments.path(id), sha256: id.hex) else { continue }
            let isNeeded = entry.problem != nil || entry.attachments.contains(id)
            found.append(
                InstantStorageFinding(
                    path: attachments.path(id), entry: entry, bytes: Folders.size(attachments.path(id)),
                    problem: isNeeded
                        ? "\(problem); an unsent edit may need it" : "\(problem); it is loaded again on request",
                    subject: .attachment, isNeeded: isNeeded))
        }
        return found
    }

    /// Reads a store and fills in its damage.
    private static func check(_ finding: inout InstantStorageFinding) {
        do {
            finding.details = try damage(inStore: finding.path).map(\.description)
            if !finding.details.isEmpty { finding.problem = "damaged: \(finding.details.shortList)" }
            finding.entry?.isRepairable = finding.problem != nil
        } catch {
            finding.problem = InstantError(error).message
            finding.entry?.isRepairable = if case .corrupt = error as? LocalStoreError { true } else { false }
        }
    }

    private static func damage(inStore path: String) throws -> [StoredDamage] {
        let store = try LocalSQLiteStore(lookingInto: path)
        defer { store.close() }
        return try store.findDamage()
    }

    private static func damage(inFile path: String, sha256: String) -> String? {
        guard let found = fileSHA256(path) else { return "cannot be read: \(errnoText())" }
        return found == sha256 ? nil : "damaged"
    }

    /// Returns the hash in lower-case hex; nil if the file cannot be read to its end.
    private static func fileSHA256(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var hash = SHA256Hash()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return hash.digest.hexadecimal }
            hash.add(buffer[..<count])
        }
    }
}

extension [String] {
    /// The first names, and how many follow.
    package var shortList: String {
        let rest = count > 3 ? " and \(count - 3) more" : ""
        return prefix(3).joined(separator: ", ") + rest
    }
}
