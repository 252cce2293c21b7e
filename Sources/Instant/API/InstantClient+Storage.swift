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
        if let path = environment["XDG_DATA_HOME"], path.begins(with: "/") { return URL(filePath: path + "/postilla") }
        guard let home = environment["HOME"], home.begins(with: "/") else {
            throw InstantError(.couldNotWriteToDisk, "HOME is not set; specify a data folder")
        }
        return URL(filePath: home + "/.local/share/postilla")
    }

    /// Returns this server's layers on this machine, for all users, and damaged layers that no longer say whose they are.
    public func listCacheEntries() throws(InstantError) -> [InstantCacheEntry] {
        InstantCacheEntry.all(in: folders).filter { $0.server.isEmpty || $0.isOf(server: address.canonical) }
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

    /// Removes one layer of ``listCacheEntries()``, and its PDF unless another layer needs it. A damaged layer always
    /// needs consent, because its unsent edits are unknown.
    public func removeLocalStorage(of entry: InstantCacheEntry, discardingUnsent: Bool = false) throws(InstantError) {
        let removal = try Removal(of: entry, known(entry))
        if !discardingUnsent, case let losses = removal.layer.losses(), !losses.isEmpty { throw .unsent(losses) }
        try finish([removal], discardingUnsent: discardingUnsent, failures: [])
    }

    /// Returns what a removal of this layer loses.
    ///
    /// - Throws: `couldNotRemoveDiskCacheEntries` if a process has the layer open.
    package static func losses(of entry: InstantCacheEntry) throws(InstantError) -> LayerLosses {
        try LayerRemoval(of: entry.folder).losses()
    }

    /// Removes a layer that this process does not have open, damaged or not, and its PDF unless another layer needs it.
    ///
    /// - Parameter agreed: What the user agreed to lose; nil for everything.
    /// - Throws: `couldNotRemoveDiskCacheEntries` if a process has the layer open; `unsentEdits` if more would be lost.
    package static func remove(
        _ entry: InstantCacheEntry, in dataDirectory: URL, losing agreed: LayerLosses?
    ) throws(InstantError) {
        let removal = try LayerRemoval(of: entry.folder)
        if let agreed, removal.losses().exceeds(agreed) {
            throw InstantError(.unsentEdits, "the layer was edited meanwhile, and stays")
        }
        try removal.run()
        let folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        try Folders.report(folders.removeUnused(pdfs: entry.pdfs))
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

    /// A layer that is about to be removed.
    private struct Removal {
        let entry: InstantCacheEntry
        /// nil if this client does not have it.
        let descriptor: InstantDocumentDescriptor?
        let layer: LayerRemoval

        init(of entry: InstantCacheEntry, _ descriptor: InstantDocumentDescriptor?) throws(InstantError) {
            (self.entry, self.descriptor) = (entry, descriptor)
            layer = if let descriptor { try descriptor.removal() } else { try LayerRemoval(of: entry.folder) }
        }
    }

    private func known(_ entry: InstantCacheEntry) -> InstantDocumentDescriptor? {
        known(entry.identity).flatMap { $0.folders.layer($0.identity) == entry.folder ? $0 : nil }
    }

    /// - Parameter entries: Of this server, or of an unknown one.
    private func remove(_ entries: [InstantCacheEntry], discardingUnsent: Bool) throws(InstantError) {
        var removals: [Removal] = []
        var failures: [String] = []
        var unsent: [UnsentEdit] = []
        for entry in entries {
            if let problem = entry.problem, entry.server.isEmpty {
                failures.append("a damaged layer may be meant: \(problem)")
                continue
            }
            do throws(InstantError) {
                let removal = try Removal(of: entry, known(entry))
                let losses = discardingUnsent ? LayerLosses(of: []) : removal.layer.losses()
                let unreadable = losses.damage + losses.keptFiles
                if unreadable.isEmpty {
                    removals.append(removal)
                } else {
                    failures.append("a damaged layer may have unsent edits: \(unreadable.joined(separator: "; "))")
                }
                unsent += losses.edits
            } catch { failures.append("\(entry.folder) stays: \(error.message)") }
        }
        guard unsent.isEmpty else { throw .unsent(unsent) }
        try finish(removals, discardingUnsent: discardingUnsent, failures: failures)
    }

    /// Removes layers, and their PDFs unless another layer needs them. Goes on after a failure.
    ///
    /// - Parameter failures: What stays for another reason.
    /// - Throws: `couldNotRemoveDiskCacheEntries` with everything that stays.
    private func finish(
        _ removals: [Removal], discardingUnsent: Bool, failures: [String]
    ) throws(InstantError) {
        var failures = failures
        var pdfs: Set<String> = []
        _ = forget(removals.compactMap(\.descriptor?.identity))
        for removal in removals {
            do throws(InstantError) {
                if let descriptor = removal.descriptor {
                    try descriptor.finish(removal.layer, losing: discardingUnsent ? nil : LayerLosses(of: []))
                } else {
                    try removal.layer.run()
                }
                pdfs.formUnion(removal.entry.pdfs)
            } catch { failures.append(error.message) }
        }
        try Folders.report(failures + folders.removeUnused(pdfs: pdfs))
    }
}

extension Folders {
    /// - Returns: What stays, and why.
    func removeUnused(pdfs: Set<String>) -> [String] {
        pdfs.sorted().filter(Self.isSHA256).compactMap { pdf in
            do throws(InstantError) {
                try removeIfUnused(pdf: pdf)
                return nil
            } catch { return error.message }
        }
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
            for path in Self.entries(pdfs).filter({ !used.contains(String($0.prefix(scalars: 64))) }).map({
                "\(pdfs)/\($0)"
            })
            where !PartFile.isBeingWritten(path) { remove(path) }
        }
        for entry in entries where entry.problem == nil {
            do throws(InstantError) {
                try AttachmentFiles(layer: entry.folder).removeUnused(
                    needed: { () throws(InstantError) in try InstantCacheEntry.attachmentsInUse(in: entry.folder) },
                    remove: remove)
            } catch { failures.append(error.message) }
        }
        try Self.report(failures)
        return bytes
    }

    fileprivate static func report(_ failures: [String]) throws(InstantError) {
        guard !failures.isEmpty else { return }
        throw InstantError(.couldNotRemoveDiskCacheEntries, failures.joined(separator: "; "))
    }
}
