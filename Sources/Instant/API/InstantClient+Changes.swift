import InstantCore
package import SyncProtocol

extension InstantClient {
    /// Visits what changed in a token's view of a layer after a revision, in order of revisions: the latest state of
    /// each record, or its removal. Asks the server, and stores nothing.
    ///
    /// - Returns: false, without a visit or after some, if the server does not know all changes since then: the layer
    ///   was recreated, the revision is ahead of it, or older than its record of deletions (30 days).
    package func forEachChange(
        since cursor: Cursor, usingJWT jwt: String, _ body: (SyncItem) throws -> Void
    ) async throws -> Bool {
        guard allowsToken else { throw InstantError.insecure }
        let transport = transport()
        var cursor = cursor
        while true {
            let answer: SyncAnswer
            do throws(SyncFailure) { answer = try await transport.send(.pull(cursor), token: jwt) } catch {
                if error == .epochChanged { return false }
                throw InstantError(error)
            }
            guard case .delta(let delta) = answer else { return false }
            for item in delta.changes { try body(item) }
            guard delta.more, delta.upTo > cursor.revision else { return true }
            cursor.revision = delta.upTo
        }
    }
}
