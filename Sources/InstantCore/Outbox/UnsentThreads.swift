import Annotations
import SyncProtocol

/// Local comments under a root that the server does not have. They are parked or removed with it.
extension StoredLayer {
    /// Returns why the root of a comment is parked. A comment cannot be sent before its root, so both wait.
    func reasonRootIsParked(of entry: OutboxEntry) throws -> String? {
        guard let content = entry.content, content.contentType == .comments, let root = content["rootId"]?.string else {
            return nil
        }
        for entry in try entries(of: root) where entry.kind == .create {
            if case .parked(let why) = entry.state { return why }
        }
        return nil
    }
}

extension OutboxEntry {
    static let rootNotAccepted = "the annotation was not accepted"

    /// The root of a comment that is to be created.
    var root: Record.ID? {
        guard kind == .create, let content, content.contentType == .comments else { return nil }
        return content["rootId"]?.string
    }

    /// Whether this is a comment that can be sent once its root is there.
    fileprivate func waits(for root: Record.ID) -> Bool {
        guard self.root.isExactly(root) else { return false }
        return switch state {
        // The server takes each comment under a root that it has, so its reason is the root.
        case .waiting, .parked, .conflict: true
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

    /// Appends the comments that were not accepted without their root again, after the root, which may have another id now.
    func appendThread(of former: Record.ID, under root: Record.ID, metadata: LayerMetadata) throws {
        let stages: Set<OutboxEntry.Stage> = [.waiting, .parked, .conflict, .refused]
        for entry in try entries(in: stages, limit: .max) where entry.waits(for: former) {
            // The server has taken it, and the answer was lost.
            guard try record(entry.id) == nil else { continue }
            try removeEntry(entry.seq)
            var next = entry
            (next.state, next.wasSent) = (.waiting, false)
            next.content = entry.content?.changing { $0["rootId"] = .string(root) }
            let seq = try append(next).seq
            try parkDenied(seq, by: metadata.grant, metadata: metadata)
            try refresh(entry.id, metadata: metadata)
        }
    }

    /// Refuses the unsent comments under a root that is not sent again after all, and was refused under this id.
    func refuseThread(of root: Record.ID, under former: Record.ID, metadata: LayerMetadata) throws {
        for var entry in try entries(in: [.waiting, .parked], limit: .max) where entry.waits(for: root) {
            entry.state = .refused(OutboxEntry.rootNotAccepted)
            entry.content = entry.content?.changing { $0["rootId"] = .string(former) }
            try replace(entry)
            try refresh(entry.id, metadata: metadata)
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
