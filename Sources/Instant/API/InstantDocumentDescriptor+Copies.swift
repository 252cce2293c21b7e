import InstantCore

/// Unsent edits of the same document, layer and user that are kept for another address: of the same server under another
/// name, or of another server.
public struct OtherCopy: Hashable, Sendable {
    /// The address, without a trailing slash.
    public let server: String
    /// The number of edits that no server has accepted. At least one.
    public let unsent: Int
    let copy: LayerCopy

    /// Whether it is the same address in another spelling. Its edits move here by themselves as soon as no program uses
    /// the copy, if it has the same view.
    public var isSameAddress: Bool { copy.isSpelling }

    /// Whether it is kept for this address, however it is spelled.
    package func isMade(under address: String) -> Bool {
        ServerAddress.oneForm(of: address).isExactly(ServerAddress.oneForm(of: server))
    }
}

extension InstantDocumentDescriptor {
    /// Returns the copies of this layer with unsent edits, in no particular order. Reads the disk.
    ///
    /// Another name of this server (`localhost` and `127.0.0.1`) is another address: the edits under it are not sent by
    /// themselves. ``takeEdits(from:)`` moves them here.
    public func otherCopies() -> [OtherCopy] {
        stores.folders.copies(of: identity).compactMap { copy in
            let unsent = LayerLosses(of: copy.stores).edits.count
            return unsent > 0 ? OtherCopy(server: copy.server, unsent: unsent, copy: copy) : nil
        }
    }

    /// Moves the edits of a copy here, from where they are sent like all others. Ask the user first, and name both
    /// addresses: only they know that both are the same server. Each edit moves once, even if the program is killed.
    ///
    /// - Returns: The number of edits.
    /// - Throws: ``InstantError``; nothing has moved: `databaseAccessFailed` if a program has the copy open;
    ///   `invalidRequest` if the two servers have different data; `accessDenied` if the token may not send the edits;
    ///   `authenticationFailed` or `requestFailed` if the layer was not synced yet.
    @discardableResult
    public func takeEdits(from other: OtherCopy) throws(InstantError) -> Int {
        let performer = try performer()
        guard let grant = performer.snapshot.grant else {
            throw InstantError(.authenticationFailed, "no token was accepted yet")
        }
        defer { performer.post(.storeChanged) }
        return try stores.take(other.copy, into: performer.open, grant: grant)
    }
}
