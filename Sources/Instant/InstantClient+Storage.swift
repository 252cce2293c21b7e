import Annotations
public import FoundationEssentials
import InstantCore

/// What lies on this machine, and getting rid of it. Removing takes unsent edits along: ask first.
extension InstantClient {
    /// The layers of this server on this machine, of every user.
    public func listCacheEntries() throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(in: folders).filter { $0.problem != nil || $0.server == address.text }
    }

    /// The layers of every server under a data folder.
    public static func listCacheEntries(in dataDirectory: URL) throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(
            in: try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes))
    }

    /// Everything of this server: layers of all users, and PDFs that nothing else uses.
    public func removeLocalStorage() throws(InstantError) {
        try remove(try listCacheEntries().filter { $0.problem == nil })
        try removeUnreferencedCacheEntries()
    }

    /// A document with all its layers, and its PDF unless another document is the same file.
    public func removeLocalStorage(forDocumentIdentifier identifier: String) throws(InstantError) {
        try remove(try listCacheEntries().filter { $0.problem == nil && $0.documentIdentifier == identifier })
        try removeUnreferencedCacheEntries()
    }

    /// PDFs, finished or not, that no layer of any server uses.
    public func removeUnreferencedCacheEntries() throws(InstantError) {
        let entries = InstantCacheEntry.all(in: folders)
        // A layer that cannot be read may need any of them.
        guard entries.allSatisfy({ $0.problem == nil }) else { return }
        let used = Set(entries.map(\.pdfSHA256))
        for name in Folders.entries(folders.pdfs) where !used.contains(String(name.prefix(64))) {
            try Folders.remove(folders.pdfs + "/" + name)
        }
    }

    /// The name for new records of this installation; asked for once.
    public var rememberedAuthor: String? {
        get {
            guard Folders.isFile(folders.author), let data = FileManager.default.contents(atPath: folders.author)
            else { return nil }
            let name = String(decoding: data.prefix(1024), as: UTF8.self).prefix { !$0.isNewline }
            return name.isEmpty ? nil : String(name)
        }
        set {
            let path = folders.author
            guard let newValue else {
                try? FileManager.default.removeItem(atPath: path)
                return
            }
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(newValue.utf8), attributes: [.posixPermissions: 0o600])
        }
    }

    private func remove(_ entries: [InstantCacheEntry]) throws(InstantError) {
        for descriptor in forget(entries.map(\.identity)) { descriptor.invalidate() }
        for entry in entries { try Folders.remove(entry.folder) }
    }
}
