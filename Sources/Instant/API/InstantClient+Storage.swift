import Annotations
public import FoundationEssentials
import InstantCore

/// The local storage and its removal. Removing edits that exist only here needs consent.
extension InstantClient {
    /// Returns `$XDG_DATA_HOME/postilla`, by default `~/.local/share/postilla`. The program `postilla` uses it too, so
    /// both share downloads.
    ///
    /// - Throws: `couldNotWriteToDisk` if neither that variable nor `HOME` is an absolute path.
    public static func defaultDataDirectory() throws(InstantError) -> URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return URL(filePath: path + "/postilla") }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw InstantError(.couldNotWriteToDisk, "HOME is not set; specify a data folder")
        }
        return URL(filePath: home + "/.local/share/postilla")
    }

    /// Returns this server's layers on this machine, for all users, and unreadable layers of any server.
    public func listCacheEntries() throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(in: folders).filter { $0.problem != nil || $0.server.isExactly(address.text) }
    }

    /// Returns the layers of every server in a data folder.
    public static func listCacheEntries(in dataDirectory: URL) throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(
            in: try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes))
    }

    /// Removes all local data for this server: the readable layers of all users, and PDFs that nothing else uses.
    ///
    /// - Parameter discardingUnsent: Consent to lose edits that exist only here.
    /// - Throws: `unsentEdits` without that consent; `couldNotRemoveDiskCacheEntries`.
    public func removeLocalStorage(discardingUnsent: Bool = false) throws(InstantError) {
        try remove(try readableEntries(), discardingUnsent: discardingUnsent)
    }

    /// Removes a document with all its layers, and its PDF unless another document uses the same file.
    public func removeLocalStorage(
        forDocumentIdentifier identifier: String, discardingUnsent: Bool = false
    ) throws(InstantError) {
        let entries = try readableEntries().filter { $0.documentIdentifier.isExactly(identifier) }
        try remove(entries, discardingUnsent: discardingUnsent)
    }

    /// Removes one layer of ``listCacheEntries()``. A layer that cannot be opened always needs consent, because its
    /// unsent edits are unknown.
    public func removeLocalStorage(of entry: InstantCacheEntry, discardingUnsent: Bool = false) throws(InstantError) {
        if let problem = entry.problem, !discardingUnsent {
            throw InstantError(.unsentEdits, "cannot check for unsent edits: \(problem)")
        }
        try remove([entry], discardingUnsent: discardingUnsent)
    }

    /// Removes a layer that cannot be opened, with any edits in it.
    package static func removeUnreadable(_ entry: InstantCacheEntry) throws(InstantError) {
        if entry.problem != nil { try Folders.remove(entry.folder) }
    }

    /// Removes PDFs, complete or not, that no layer of any server uses, and attachments that no local edit needs; these
    /// are loaded again on request.
    public func removeUnreferencedCacheEntries() throws(InstantError) { _ = try folders.removeUnreferenced() }

    /// Like ``InstantClient/removeUnreferencedCacheEntries()``, for any data folder.
    ///
    /// - Returns: The bytes freed; nil if a layer cannot be read: it may need the files, so none are removed.
    public static func removeUnreferencedCacheEntries(in dataDirectory: URL) throws(InstantError) -> Int64? {
        try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes).removeUnreferenced()
    }

    /// The remembered author for new records of this installation; one line.
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
                unsent += try descriptor(entry.identity).allUnsentEdits()
            }
            guard unsent.isEmpty else { throw .unsent(unsent) }
        }
        for descriptor in forget(entries.map(\.identity)) { descriptor.invalidate() }
        for entry in entries { try Folders.remove(entry.folder) }
        try removeUnreferencedCacheEntries()
    }
}

extension Folders {
    /// Removes a PDF, complete or not, unless a layer uses it or cannot be read.
    func removeIfUnused(pdf sha256: String) throws(InstantError) {
        guard InstantCacheEntry.all(in: self).allSatisfy({ $0.problem == nil && !$0.uses(pdf: sha256) }) else {
            return
        }
        for path in [pdf(sha256), part(sha256)] where Self.isFile(path) { try Self.remove(path) }
    }

    fileprivate func removeUnreferenced() throws(InstantError) -> Int64? {
        let entries = InstantCacheEntry.all(in: self)
        guard entries.allSatisfy({ $0.problem == nil }) else { return nil }
        let used = entries.reduce(into: Set<String>()) { $0.formUnion($1.otherPDFs.union([$1.pdfSHA256])) }
        var bytes: Int64 = 0
        for name in Self.entries(pdfs) where !used.contains(String(name.prefix(64))) {
            bytes += Self.size(pdfs + "/" + name)
            try Self.remove(pdfs + "/" + name)
        }
        for entry in entries { bytes += try AttachmentFiles(layer: entry.folder).removeAll(but: entry.attachments) }
        return bytes
    }
}
