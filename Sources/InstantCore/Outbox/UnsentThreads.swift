import Annotations
import SyncProtocol

/// Comments of ours under a root that the server has not heard of yet: they share its fate.
extension StoredLayer {
    /// A comment cannot go before its root: while the present grant denies that one, both wait.
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
    /// Takes the waiting comments under a root back: it was never sent, and now never will be.
    ///
    /// - Returns: the entries that carried them.
    func absorbThread(of root: Record.ID, facts: LayerMetadata) throws -> [OutboxEntry] {
        try thread(under: root).flatMap { comment in
            let waiting = try entries(of: comment).filter(\.isUnsealed)
            for entry in waiting { try removeEntry(entry.seq) }
            try refresh(comment, facts: facts)
            return waiting
        }
    }

    /// The reverse: root and thread wait again.
    func appendAgain(_ swallowed: [OutboxEntry], facts: LayerMetadata) throws {
        for entry in swallowed {
            _ = try append(entry)
            try refresh(entry.id, facts: facts)
        }
    }
}
