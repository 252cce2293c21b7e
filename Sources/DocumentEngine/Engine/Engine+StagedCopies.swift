import Annotations
import EngineCore
import SyncProtocol

/// Work on more records than one transaction should hold: copies and removals. Other writes run between two pieces, and
/// only one such piece is in a transaction at a time.
extension Engine {
    /// Completes a copy, or removes all of it.
    func perform(_ copy: StagedCopy) async throws {
        var copy = copy
        do {
            // Bounded, so that constant writes to the source cannot keep a copy from finishing.
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
            throw APIError(.overload, "the source changes faster than it can be copied; try again later")
        } catch {
            if let remains = try? await writePiece({ [copy] in try copy.abandon(in: $0) }) { await remove(remains) }
            throw error
        }
    }

    /// Removes hidden rows. Rows that it fails to remove are left for the next ``removeAll(before:)``.
    func remove(_ remains: PendingRemovals) async {
        var remains = remains
        while !remains.isEmpty {
            let next = try? await writePiece { [remains] store in
                var remains = remains
                try remains.removePiece(in: store)
                return remains
            }
            // What cannot be removed now, such as damaged rows, must not keep the rest.
            if let next { remains = next } else { remains.skip() }
        }
    }

    /// Removes the rows that deletions left behind, and copies and uploads begun before `moment` and not finished.
    func removeAll(before moment: Timestamp) async throws {
        for copy in try await read({ try PendingRemovals.unfinishedCopies(before: moment, in: $0) }) {
            try await writes.perform { try PendingRemovals.giveUp(copy, in: $0, at: moment) }
        }
        await remove(try await read { try PendingRemovals(before: moment, in: $0) })
    }

    /// Runs one transaction of a multi-transaction job.
    func writePiece<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await pieces.pass { try await writes.perform(body) }
    }
}
