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

    /// Appends the entries of a thread again, after its root.
    func appendAgain(_ swallowed: [OutboxEntry], metadata: LayerMetadata) throws {
        for entry in swallowed {
            _ = try append(entry)
            try refresh(entry.id, metadata: metadata)
        }
    }
}
