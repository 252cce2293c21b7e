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

    /// Returns this server's layers on this machine, for all users, and damaged layers that no longer say whose they are.
    public func listCacheEntries() throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(in: folders).filter { $0.server.isEmpty || $0.server.isExactly(address.text) }
    }

    /// Returns the layers of every server in a data folder.
    public static func listCacheEntries(in dataDirectory: URL) throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(
            in: try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes))
    }

    /// Removes all local data for this server: the layers of all users, and their PDFs unless another layer needs them.
    ///
    /// - Parameter discardingUnsent: Consent to lose edits that exist only here. Without it, damaged layers stay, because
    ///   their unsent edits are unknown.
    /// - Throws: `unsentEdits` without that consent, and nothing is removed; `couldNotRemoveDiskCacheEntries`, which
    ///   names everything that stays and why.
    public func removeLocalStorage(discardingUnsent: Bool = false) throws(InstantError) {
        try remove(try listCacheEntries(), discardingUnsent: discardingUnsent)
    }

    /// Removes a document with all its layers, and its PDF unless another layer needs it. Throws like
    /// ``InstantClient/removeLocalStorage(discardingUnsent:)``.
    public func removeLocalStorage(
        forDocumentIdentifier identifier: String, discardingUnsent: Bool = false
    ) throws(InstantError) {
        let entries = try listCacheEntries()
            .filter { $0.server.isEmpty || $0.documentIdentifier.isExactly(identifier) }
        try remove(entries, discardingUnsent: discardingUnsent)
    }

    /// Removes one layer of ``listCacheEntries()``, and its PDF unless another layer needs it. A layer that cannot be
    /// opened always needs consent, because its unsent edits are unknown.
    public func removeLocalStorage(of entry: InstantCacheEntry, discardingUnsent: Bool = false) throws(InstantError) {
        if let problem = entry.problem, !discardingUnsent {
            throw InstantError(.unsentEdits, "cannot check for unsent edits: \(problem)")
        }
        if !discardingUnsent { try requireNothingUnsent([entry]) }
        try removeAll([entry], failures: [])
    }

    /// Removes a layer that cannot be opened, with any edits in it, and its PDF unless another layer needs it.
    package static func removeUnreadable(_ entry: InstantCacheEntry, in dataDirectory: URL) throws(InstantError) {
        guard entry.problem != nil else { return }
        let folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        try folders.remove([entry], failures: [])
    }

    /// Removes PDFs, complete or not, that no layer of any server uses, and attachments that no local edit needs; these
    /// are loaded again on request.
    ///
    /// - Throws: `couldNotRemoveDiskCacheEntries` if a file stays, or if a damaged layer may need any of the PDFs.
    public func removeUnreferencedCacheEntries() throws(InstantError) { _ = try folders.removeUnreferenced() }

    /// Like ``InstantClient/removeUnreferencedCacheEntries()``, for any data folder.
    ///
    /// - Returns: The bytes freed.
    public static func removeUnreferencedCacheEntries(in dataDirectory: URL) throws(InstantError) -> Int64 {
        try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes).removeUnreferenced()
    }

    /// The remembered author for new records of this installation; one line.
    public var rememberedAuthor: String? {
        get { folders.rememberedAuthor }
        set { folders.rememberAuthor(newValue) }
    }

    /// - Parameter entries: Of this server, or of an unknown one.
    private func remove(_ entries: [InstantCacheEntry], discardingUnsent: Bool) throws(InstantError) {
        var removed: [InstantCacheEntry] = []
        var failures: [String] = []
        for entry in entries {
            if let problem = entry.problem, entry.server.isEmpty {
                failures.append("a damaged layer may be meant: \(problem)")
            } else if let problem = entry.problem, !discardingUnsent {
                failures.append("a damaged layer may have unsent edits: \(problem)")
            } else {
                removed.append(entry)
            }
        }
        if !discardingUnsent { try requireNothingUnsent(removed) }
        try removeAll(removed, failures: failures)
    }

    private func requireNothingUnsent(_ entries: [InstantCacheEntry]) throws(InstantError) {
        var unsent: [UnsentEdit] = []
        for entry in entries where entry.problem == nil && entry.unsent > 0 {
            unsent += try descriptor(entry.identity).allUnsentEdits()
        }
        guard unsent.isEmpty else { throw .unsent(unsent) }
    }

    private func removeAll(_ entries: [InstantCacheEntry], failures: [String]) throws(InstantError) {
        for descriptor in forget(entries.map(\.identity)) { descriptor.invalidate() }
        try folders.remove(entries, failures: failures)
    }
}

extension Folders {
    /// Removes layers, and their PDFs unless another layer needs them. Goes on after a failure.
    ///
    /// - Parameter failures: What stays for another reason.
    /// - Throws: `couldNotRemoveDiskCacheEntries` with everything that stays.
    func remove(_ entries: [InstantCacheEntry], failures: [String]) throws(InstantError) {
        var failures = failures
        var pdfs: Set<String> = []
        for entry in entries {
            do throws(InstantError) {
                try Self.remove(layer: entry.folder)
                pdfs.formUnion(entry.pdfs)
            } catch { failures.append(error.message) }
        }
        for pdf in pdfs.sorted() where Self.isSHA256(pdf) {
            do throws(InstantError) { try removeIfUnused(pdf: pdf) } catch { failures.append(error.message) }
        }
        try Self.report(failures)
    }

    /// Removes a PDF, complete or not, and the text of its pages, unless a layer uses it.
    ///
    /// - Throws: `couldNotRemoveDiskCacheEntries` also if a damaged layer may use it.
    func removeIfUnused(pdf sha256: String) throws(InstantError) {
        let files = ([pdf(sha256), part(sha256)] + texts(sha256)).filter(Self.isFile)
        let entries = InstantCacheEntry.all(in: self)
        guard !files.isEmpty, !entries.contains(where: { $0.uses(pdf: sha256) }) else { return }
        if let unknown = entries.first(where: { $0.pdfSHA256 == nil }) {
            throw InstantError(
                .couldNotRemoveDiskCacheEntries,
                "\(files[0]) stays, because a damaged layer may need it: \(unknown.problem ?? unknown.folder)")
        }
        for path in files { try Self.remove(path) }
    }

    fileprivate func removeUnreferenced() throws(InstantError) -> Int64 {
        let entries = InstantCacheEntry.all(in: self)
        let used = entries.reduce(into: Set<String>()) { $0.formUnion($1.pdfs) }
        var failures: [String] = []
        var bytes: Int64 = 0
        func remove(_ path: String) {
            let size = Self.size(path)
            do throws(InstantError) {
                try Self.remove(path)
                bytes += size
            } catch { failures.append(error.message) }
        }
        if let unknown = entries.first(where: { $0.pdfSHA256 == nil }) {
            failures.append(
                "the PDFs stay, because a damaged layer may need any of them: \(unknown.problem ?? unknown.folder)")
        } else {
            for name in Self.entries(pdfs) where !used.contains(String(name.prefix(64))) { remove(pdfs + "/" + name) }
        }
        for entry in entries where entry.problem == nil {
            let files = AttachmentFiles(layer: entry.folder)
            for path in files.removable(but: entry.attachments) { remove(path) }
        }
        try Self.report(failures)
        return bytes
    }

    private static func report(_ failures: [String]) throws(InstantError) {
        guard !failures.isEmpty else { return }
        throw InstantError(.couldNotRemoveDiskCacheEntries, failures.joined(separator: "; "))
    }
}
