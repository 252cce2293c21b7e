import FileCore
import Glibc

// A disk that does not answer, such as one of a server that is gone.
extension LocalFile {
    /// Work on the file may take this long before its disk is asked whether it is there.
    private static let calm = Duration.milliseconds(500)
    /// How long the disk may take to say so.
    private static let answerTime = Duration.milliseconds(500)

    /// Performs an effect. Windows are told if the disk with the file does not answer meanwhile.
    func watched(
        _ effect: LocalFileCore.Effect, _ body: () async -> LocalFileCore.Input?
    ) async -> LocalFileCore.Input? {
        guard effect.usesDisk else { return await body() }
        let watch = Task {
            repeat { try await Task.sleep(for: Self.calm) } while await answers()
            try Task.checkCancellation()
            change { $0.disk.isSilent = true }
        }
        let result = await body()
        watch.cancel()
        // It may be about to say so.
        _ = await watch.result
        if inner.withLock({ $0.disk.isSilent }) { change { $0.disk.isSilent = false } }
        return result
    }

    private func answers() async -> Bool {
        await asked { [path, hook = silence.withLock { $0 }] in
            hook()
            return access(path, F_OK)
        } != nil
    }

    /// Whether the file is gone. False if the disk does not answer, because it may still have the file.
    func isAway() async -> Bool { await asked { [path] in access(path, F_OK) != 0 } ?? false }

    /// Asks the disk something, on a thread of its own, which may hang.
    ///
    /// - Returns: nil if it does not answer.
    private func asked<Answer: Sendable>(_ question: @escaping @Sendable () -> Answer) async -> Answer? {
        let (answers, answer) = AsyncStream<Answer?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        WorkerThreads(width: 1).submit { answer.yield(question()) }
        let timer = Task {
            try await Task.sleep(for: Self.answerTime)
            answer.yield(nil)
        }
        defer { timer.cancel() }
        for await first in answers { return first }
        return nil
    }
}

extension LocalFileCore.Effect {
    /// Whether the file itself or its folder is used.
    fileprivate var usesDisk: Bool {
        switch self {
        case .look, .prepare, .exchange, .putBack, .inspect, .remove, .copy: true
        case .store, .forget, .removeEarlier, .publish, .answer: false
        }
    }
}
