import Annotations
public import FoundationEssentials
import InstantCore

/// What lies on this machine, and getting rid of it. Edits that are nowhere else go only with consent.
extension InstantClient {
    /// `$XDG_DATA_HOME/postilla`, which the program of that name uses too: what one has downloaded the other shows.
    ///
    /// - Throws: `couldNotWriteToDisk` when neither that variable nor `HOME` names an absolute path.
    public static func defaultDataDirectory() throws(InstantError) -> URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return URL(filePath: path + "/postilla") }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw InstantError(.couldNotWriteToDisk, "HOME is not set: name a folder for the data")
        }
        return URL(filePath: home + "/.local/share/postilla")
    }

    /// The layers of this server on this machine, of every user.
    public func listCacheEntries() throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(in: folders).filter { $0.problem != nil || $0.server.isExactly(address.text) }
    }

    /// The layers of every server under a data folder.
    public static func listCacheEntries(in dataDirectory: URL) throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(
            in: try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes))
    }

    /// Everything of this server: layers of all users, and PDFs that nothing else uses.
    ///
    /// - Parameter discardingUnsent: consent to lose edits that are nowhere else.
    /// - Throws: `unsentEdits` without that consent, `couldNotRemoveDiskCacheEntries`.
    public func removeLocalStorage(discardingUnsent: Bool = false) throws(InstantError) {
        try remove(try readableEntries(), discardingUnsent: discardingUnsent)
    }

    /// A document with all its layers, and its PDF unless another document is the same file.
    public func removeLocalStorage(
        forDocumentIdentifier identifier: String, discardingUnsent: Bool = false
    ) throws(InstantError) {
        let entries = try readableEntries().filter { $0.documentIdentifier.isExactly(identifier) }
        try remove(entries, discardingUnsent: discardingUnsent)
    }

    /// One layer of ``listCacheEntries()``, one that cannot be opened included: what is unsent in that is lost, which
    /// needs the same consent.
    public func removeLocalStorage(of entry: InstantCacheEntry, discardingUnsent: Bool = false) throws(InstantError) {
        if let problem = entry.problem, !discardingUnsent {
            throw InstantError(.unsentEdits, "it cannot be told what would be lost: \(problem)")
        }
        try remove([entry], discardingUnsent: discardingUnsent)
    }

    /// A layer that cannot be opened, and with it whatever edits it held.
    package static func removeUnreadable(_ entry: InstantCacheEntry) throws(InstantError) {
        if entry.problem != nil { try Folders.remove(entry.folder) }
    }

    /// PDFs, finished or not, that no layer of any server uses, and attachments that no edit of ours needs: these are
    /// loaded again when they are asked for.
    public func removeUnreferencedCacheEntries() throws(InstantError) { _ = try folders.removeUnreferenced() }

    /// The same for a whole data folder.
    ///
    /// - Returns: the bytes that are free now; nil where a layer cannot be read, which may need any of them.
    public static func removeUnreferencedCacheEntries(in dataDirectory: URL) throws(InstantError) -> Int64? {
        try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes).removeUnreferenced()
    }

    /// The name for new records of this installation, one line; asked for once.
    public var rememberedAuthor: String? {
        get { folders.rememberedAuthor }
        set { folders.rememberAuthor(newValue) }
    }

    private func readableEntries() throws(InstantError) -> [InstantCacheEntry] {
        try listCacheEntries().filter { $0.problem == nil }
    }

    private func remove(_ entries: [InstantCacheEntry], discardingUnsent: Bool) throws(InstantError) {
        if !discardingUnsent {
            var unsent: [UnsentEdit] = []
            for entry in entries where entry.problem == nil && entry.unsent > 0 {
                unsent += try descriptor(entry.identity).unsentEdits()
            }
            guard unsent.isEmpty else { throw .unsent(unsent) }
        }
        for descriptor in forget(entries.map(\.identity)) { descriptor.invalidate() }
        for entry in entries { try Folders.remove(entry.folder) }
        try removeUnreferencedCacheEntries()
    }
}

extension Folders {
    fileprivate func removeUnreferenced() throws(InstantError) -> Int64? {
        let entries = InstantCacheEntry.all(in: self)
        guard entries.allSatisfy({ $0.problem == nil }) else { return nil }
        let used = Set(entries.map(\.pdfSHA256))
        var bytes: Int64 = 0
        for name in Self.entries(pdfs) where !used.contains(String(name.prefix(64))) {
            bytes += Self.size(pdfs + "/" + name)
            try Self.remove(pdfs + "/" + name)
        }
        for entry in entries { bytes += try AttachmentFiles(layer: entry.folder).removeAll(but: entry.attachments) }
        return bytes
    }
}
