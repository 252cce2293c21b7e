import Annotations
import SyncProtocol

/// Local comments under a root that the server does not have. They are parked or removed with it.
extension StoredLayer {
    /// Returns why the root of a comment is parked. A comment cannot be sent before its root, so both wait.
    func reasonRootIsParked(of entry: OutboxEntry) throws -> String? {
        guard let content = entry.content, content.contentType == .comments, let root = content["rootId"]?.string else {
            return nil
        }
        for entry in try entries(of: root) where entry.bringsRecord {
            if case .parked(let why) = entry.state { return why }
        }
        return nil
    }
}

extension OutboxEntry {
    static let rootNotAccepted = "the annotation was not accepted"
    static let pdfReplaced = "the PDF was replaced before this edit was sent"

    /// The root of a comment that is to be created.
    var root: Record.ID? {
        guard kind == .create, let content, content.contentType == .comments else { return nil }
        return content["rootId"]?.string
    }

    /// Returns this edit of a comment for a comment under another root.
    fileprivate func under(_ root: Record.ID) -> OutboxEntry {
        func moved(_ content: Content) -> Content { content.changing { $0["rootId"] = .string(root) } }
        var entry = self
        entry.content = content.map(moved)
        if let content = base?.content { entry.base?.content = moved(content) }
        return entry
    }

    /// Whether this new comment was held up or rejected only because its root was not there.
    fileprivate var waitsForRoot: Bool {
        switch state {
        case .waiting, .parked: true
        // The user reviews each edit of another PDF. Otherwise only a missing root puts a new comment in conflict.
        case .conflict(let why): !why.isExactly(Self.pdfReplaced)
        case .refused(let why): why.isExactly(Self.rootNotAccepted)
        case .sealed, .applied: false
        }
    }
}

extension WritableLayer {
    /// Removes the unsent comments under a root that will never be sent.
    ///
    /// - Returns: The removed entries.
    func absorbThread(of root: Record.ID, metadata: LayerMetadata) throws -> [OutboxEntry] {
        try thread(under: root).flatMap { comment in
            let waiting = try entries(of: comment).filter(\.isUnsealed)
            for entry in waiting { try removeEntry(entry.seq) }
            try refresh(comment, metadata: metadata)
            return waiting
        }
    }

    /// Lets the user's comments go with a root that the user has deleted and that the server does not take.
    ///
    /// A comment that has a number gets a deletion behind it, which goes with the answer to the comment. A conflict stays as it
    /// is, with its text.
    func dropThread(of root: Record.ID, into changes: inout LayerChanges) throws {
        let metadata = try metadata()
        for gone in try absorbThread(of: root, metadata: metadata) { changes.touch(gone) }
        for comment in try thread(under: root) {
            let sealed = try entries(of: comment).first { $0.kind == .create && $0.stage == .sealed }
            guard let sealed else { continue }
            _ = try enqueue(
                .delete, comment, content: nil, group: sealed.group, at: sealed.madeAt, metadata: metadata,
                leavingRoot: true, joinsRejected: false)
            changes.touch(comment)
        }
    }

    /// Queues the comments that failed with their root again, behind the root, which may have a new id. Comments that wait for
    /// a decision of their own only get that id.
    func appendThread(of former: Record.ID, under root: Record.ID, metadata: LayerMetadata) throws {
        for comment in try moveThread(of: former, under: root) where comment.waitsForRoot {
            // Edits of the comment stay behind its creation.
            for var entry in try entries(of: comment.id) where entry.seq >= comment.seq && entry.stage != .sealed {
                try removeEntry(entry.seq)
                entry.state = .waiting
                try parkDenied(append(entry).seq, by: metadata.grant, metadata: metadata)
            }
            try refresh(comment.id, metadata: metadata)
        }
    }

    /// Marks the unsent comments under a root as refused, because sending the root again was undone.
    ///
    /// - Parameter former: The id under which the root was rejected.
    func refuseThread(of root: Record.ID, under former: Record.ID, metadata: LayerMetadata) throws {
        var changes = LayerChanges()
        for comment in try moveThread(of: root, under: former) where comment.waitsForRoot {
            try settle(comment, as: .refused(OutboxEntry.rootNotAccepted), isThere: false, into: &changes)
            try refresh(comment.id, metadata: metadata)
        }
    }

    /// Changes the root of the comments that are to be created under another one, and of the edits of those comments.
    ///
    /// - Returns: The creations.
    private func moveThread(of former: Record.ID, under root: Record.ID) throws -> [OutboxEntry] {
        let all = try entries(in: [.waiting, .parked, .conflict, .refused], limit: .max)
        return try all.compactMap { comment in
            // If the server has the record, it accepted the comment, and the answer was lost.
            guard comment.root.isExactly(former), try record(comment.id) == nil else { return nil }
            for entry in try entries(of: comment.id) { try replace(entry.under(root)) }
            return comment.under(root)
        }
    }

    /// Appends the entries of a thread again, after its root.
    func appendAgain(_ swallowed: [OutboxEntry], metadata: LayerMetadata) throws {
        for entry in swallowed {
            _ = try append(entry)
            try refresh(entry.id, metadata: metadata)
        }
    }
}
