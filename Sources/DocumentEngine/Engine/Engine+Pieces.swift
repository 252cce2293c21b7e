import Annotations
import EngineCore
import SyncProtocol

/// Work on more records than one transaction should take: copies and removals. Between two pieces other writes get their
/// turn, and of all such work only one piece is in a transaction at a time.
extension Engine {
    /// Makes a copy visible, or leaves nothing of it.
    func perform(_ copy: StagedCopy) async throws {
        var copy = copy
        do {
            // Constant writes to the source must not keep a copy from finishing.
            for _ in 0..<(1000 + 4 * copy.size / Pieces.records) {
                if let piece = try await read({ [copy] in try copy.next(in: $0) }) {
                    copy = try await writePiece { [copy] store in
                        var (copy, random) = (copy, SystemRandomNumberGenerator())
                        try copy.write(piece, in: store, using: &random)
                        return copy
                    }
                } else {
                    let isWhole = try await writePiece { [copy] store in
                        var random = SystemRandomNumberGenerator()
                        return try copy.finish(in: store, using: &random)
                    }
                    if isWhole { return }
                }
            }
            throw APIError(.overload, "the source is written to faster than it is copied: try again later")
        } catch {
            if let remains = try? await writePiece({ [copy] in try copy.abandon(in: $0) }) { await remove(remains) }
            throw error
        }
    }

    /// Removes what is out of sight. What fails is left to the next ``removeAll(before:)``.
    func remove(_ remains: PendingRemovals) async {
        var remains = remains
        while !remains.isEmpty {
            let next = try? await writePiece { [remains] store in
                var remains = remains
                try remains.removePiece(in: store)
                return remains
            }
            guard let next else { return }
            remains = next
        }
    }

    /// Removes what deletions left, and copies and uploads that were begun before the moment and never ended.
    func removeAll(before moment: Timestamp) async throws {
        for copy in try await read({ try PendingRemovals.unfinishedCopies(before: moment, in: $0) }) {
            try await writes.perform { try PendingRemovals.giveUp(copy, in: $0, at: moment) }
        }
        await remove(try await read { try PendingRemovals(before: moment, in: $0) })
    }

    /// One transaction of several.
    func writePiece<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await pieces.pass { try await writes.perform(body) }
    }
}
