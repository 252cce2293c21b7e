import Annotations
import FoundationEssentials
import Glibc
import InstantCore
import SQLite

/// Replaces a damaged store by a new one with the edits of the old one. A kill at any moment leaves the old store or the
/// new one.
///
/// ```
/// layer.sqlite.repair/    the new store while it is made; removed by the next repair
/// layer.sqlite.repaired/  the same, complete: the store from now on; the next process to open it moves the files
/// layer.sqlite.damaged-1/ the old files, kept because not all of their edits could be read
/// ```
struct LayerRepair {
    /// The database.
    let path: String
    /// The layer's folder, which has the attachments; nil if it is that of the database.
    var layer: String?
    /// Called after each change of the disk; for tests.
    var didChange: () -> Void = {}

    /// What was done.
    struct Outcome {
        var identity: LayerIdentity
        var kept = 0
        /// Edits that cannot be read.
        var lost: [StoredDamage] = []
        var unreadablePages = 0
        var lostCommits = 0
        /// Where the old files are, if they were kept.
        var damagedCopy: String?
    }

    /// The lock that every process holds shared while it has the store open.
    static func lock(besides path: String) -> String {
        (path.dropping(suffix: ".sqlite") ?? path[...]) + ".lock"
    }

    private var making: String { path + ".repair" }
    private var made: String { path + ".repaired" }
    private var name: String { String(path.split(scalar: "/").last ?? "layer.sqlite") }
    private var folder: String { String(path.dropping(suffix: "/" + name) ?? "") }

    /// - Parameters:
    ///   - identity: Which layer it is, if the store and its label do not say so.
    ///   - clientID: A new id, for a store that no longer knows what it has sent.
    /// - Throws: ``InstantError`` if the layer is open or unknown, or the disk fails. The store is then as it was.
    func run(identity: LayerIdentity?, clientID: String) throws -> Outcome {
        try Self.complete(path)
        guard let lock = FileLock(path: Self.lock(besides: path)) else {
            let users = FileUsers.others(of: Self.lock(besides: path)).map { "pid \($0)" }.joined(separator: ", ")
            let named = users.isEmpty ? "" : " (\(users))"
            throw InstantError(.couldNotWriteToDisk, "\(path) is open\(named); close the layer first, in every process")
        }
        defer { withExtendedLifetime(lock) {} }
        let label = LayerLabel.read(LayerLabel.path(besides: path)).label
        let lostCommits = max(label?.lostCommits ?? 0, LostCommits.count(besides: path))
        let salvage = try Salvage(path: path, label: label)
        guard let identity = salvage.metadata?.identity ?? label?.identity ?? identity else {
            throw InstantError(
                .couldNotReadFromDiskCache,
                "\(path) no longer says which layer it is; name its server, document, layer and user")
        }
        var outcome = Outcome(
            identity: identity, kept: 0, lost: salvage.lost, unreadablePages: salvage.unreadablePages,
            lostCommits: lostCommits)
        var metadata = salvage.metadata ?? LayerMetadata(identity: identity, clientID: clientID)
        let isSure = salvage.metadata != nil && lostCommits == 0 && salvage.uncertain.isEmpty
        if !isSure { (metadata.clientID, metadata.lastN, metadata.isRecovering) = (clientID, 0, true) }
        if salvage.metadata == nil { metadata.pdfSHA256 = label?.pdfSHA256 ?? "" }
        (metadata.cursor, metadata.loading, metadata.quotedFrom, metadata.checkedAt) = (nil, nil, nil, nil)
        (metadata.wasReset, metadata.migratedTo) = (true, nil)
        try make(metadata, salvage, &outcome)
        let keepsOld = !outcome.lost.isEmpty || outcome.unreadablePages > 0 || lostCommits > 0
        if keepsOld { try create(making + "/keep") }
        try Self.sync(making)
        try move(making, to: made)
        try Self.sync(folder)
        outcome.damagedCopy = try finish()
        return outcome
    }

    private func make(_ metadata: LayerMetadata, _ salvage: Salvage, _ outcome: inout Outcome) throws {
        if Self.exists(making) { try Folders.remove(making) }
        try Folders.make(making)
        didChange()
        let store = try LocalSQLiteStore(path: making + "/" + name)
        do {
            defer { store.close() }
            try fill(store, metadata, salvage, &outcome)
        }
        // The log would be left behind.
        guard Folders.size(store.path + "-wal") == 0 else {
            throw InstantError(.couldNotWriteToDisk, "\(store.path) cannot be completed")
        }
    }

    private func fill(
        _ store: LocalSQLiteStore, _ metadata: LayerMetadata, _ salvage: Salvage, _ outcome: inout Outcome
    ) throws {
        let attachments = AttachmentFiles(layer: layer ?? folder)
        try store.write { store in
            guard let transaction = store as? LocalSQLiteTransaction else { return }
            for (_, values) in salvage.edits.sorted(by: { $0.key < $1.key }) {
                try transaction.run(
                    """
                    INSERT INTO outbox(seq, id, kind, base_revision, thread_revision, grp, content, base, stage, n,
                        revision, reason, made_at, taken_root, checksum)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, all: values + [.integer(RowChecksum.of(values))])
            }
            var metadata = metadata
            for var entry in try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max) {
                if salvage.uncertain.contains(entry.seq), entry.stage != .refused {
                    entry.state = .conflict("found in a damaged file: it may have been sent or discarded before")
                    try store.replace(entry)
                } else if metadata.isRecovering, entry.stage == .sealed {
                    entry.state = .waiting
                    try store.replace(entry)
                }
                if salvage.metadata == nil, let file = entry.content?.attachmentID, attachments.holds(file) {
                    metadata.uploads.insert(file)
                }
                if entry.stage != .applied { outcome.kept += 1 }
            }
            try store.set(metadata)
        }
        let layer = Layer(store: store)
        while try !layer.migrate() {}
        store.putLabel(metadata.identity, pdf: metadata.pdfSHA256)
        try store.checkpoint()
        Folders.makePrivate(database: store.path)
    }
}

extension LayerRepair {
    /// Completes a repair that was interrupted after its store was made. Waits while another process does.
    ///
    /// - Throws: ``InstantError`` if the files cannot be moved.
    static func complete(_ path: String) throws {
        let repair = LayerRepair(path: path)
        for _ in 0..<(patience / 100) {
            guard exists(repair.made) else { return }
            if let lock = FileLock(path: lock(besides: path)) {
                _ = try repair.finish()
                return withExtendedLifetime(lock) {}
            }
            _ = FileLock(path: lock(besides: path), shared: true, milliseconds: 100)
        }
        throw isRunning(path)
    }

    /// How long a process that opens a store waits for its repair, in milliseconds.
    static let patience = 3000

    /// Returns the error of a process that waited for a repair.
    static func isRunning(_ path: String) -> LocalStoreError {
        .failed(path: path, "it is being repaired by \(FileUsers.names(of: lock(besides: path))); try again later")
    }

    /// Whether a new store is complete, and not in its place yet.
    static func isInterrupted(_ path: String) -> Bool { exists(path + ".repaired") }

    /// Whether a repair kept the damaged files of a store in this folder.
    static func hasDamagedCopy(in folder: String) -> Bool {
        Folders.entries(folder).contains { $0.contains(scalars: ".sqlite.damaged-") }
    }

    /// Whether there is a store, perhaps one whose repair was interrupted. A file in which nothing was stored yet, because
    /// its process was killed, is none.
    static func hasStore(_ path: String) -> Bool {
        isInterrupted(path) || Folders.isFile(path) && !LocalSQLiteStore.isUnfinished(path)
    }

    /// Puts the new store in the place of the old one. Every step may be the last one, and is then done by the next call.
    ///
    /// - Returns: Where the old files are, if they are kept.
    private func finish() throws -> String? {
        let aside = made + "/damaged"
        let label = LayerLabel.path(besides: path)
        let newLabel = LayerLabel.path(besides: made + "/" + name)
        if Folders.isFile(made + "/" + name) {
            try Folders.make(aside)
            for file in [path + "-wal", path + "-shm", path, label] where Folders.isFile(file) {
                try move(file, to: aside + "/" + (file.split(scalar: "/").last ?? ""))
            }
            try Self.sync(folder)
            try move(made + "/" + name, to: path)
        }
        if Folders.isFile(newLabel) { try move(newLabel, to: label) }
        try Self.sync(folder)
        var copy: String?
        if Folders.isFile(made + "/keep"), Self.exists(aside) {
            let free = (1...).lazy.map { "\(path).damaged-\($0)" }.first { !Self.exists($0) } ?? aside
            try move(aside, to: free)
            copy = free
        }
        try Folders.remove(made)
        didChange()
        return copy
    }

    private static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    private func move(_ file: String, to place: String) throws(InstantError) {
        guard rename(file, place) == 0 else {
            throw InstantError(.couldNotWriteToDisk, "cannot move \(file) to \(place): \(errnoText())")
        }
        didChange()
    }

    private func create(_ path: String) throws(InstantError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw InstantError(.couldNotWriteToDisk, "cannot write \(path): \(errnoText())")
        }
        close(descriptor)
        didChange()
    }

    /// Makes the names in a folder durable.
    private static func sync(_ folder: String) throws(InstantError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw InstantError(.couldNotWriteToDisk, "cannot write \(folder): \(errnoText())")
        }
    }
}
