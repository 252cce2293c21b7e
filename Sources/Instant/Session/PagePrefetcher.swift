import InstantCore
import SyncProtocol
import Synchronization

/// Sends requests. While one page of a snapshot is being stored, it downloads and parses the next one.
///
/// At most one page is prefetched. It is used only for exactly the request that it answers, with the same token; if
/// prefetching fails, the request is sent when it is due.
final class PagePrefetcher: Sendable {
    private struct State {
        var ahead: Fetch?
        /// Everything that has not ended, also what was cancelled.
        var running: [Int: Task<SyncAnswer, any Error>] = [:]
        var next = 0
    }

    private struct Fetch {
        var page: Layer.NextPage
        var token: String
        var answer: Task<SyncAnswer, any Error>
    }

    private let transport: HTTPTransport
    private let state = Mutex(State())

    init(transport: HTTPTransport) { self.transport = transport }

    func send(_ kind: SyncRequest.Kind, token: String) async throws(SyncFailure) -> SyncAnswer {
        guard case .page(let asked) = kind else {
            // Presence messages are independent of all other requests.
            if case .presence = kind {} else { drop() }
            return try await transport.send(kind, token: token)
        }
        let answer: SyncAnswer
        if let fetched = await take(asked, token: token) {
            answer = fetched
        } else {
            answer = try await transport.send(kind, token: token)
        }
        if case .page(let page) = answer, let next = page.next {
            fetch(Layer.NextPage(after: next, at: page.at, epoch: page.epoch), token: token)
        }
        return answer
    }

    func drop() { state.withLock { $0.ahead.take() }?.answer.cancel() }

    /// Drops what was fetched.
    ///
    /// - Returns: The tasks that are ending.
    func close() -> [Task<Void, Never>] {
        drop()
        return state.withLock { Array($0.running.values) }.map { task in Task { _ = await task.result } }
    }

    private func fetch(_ page: Layer.NextPage, token: String) {
        state.withLock { state in
            let number = state.next
            state.next += 1
            let answer = Task { [transport] in
                defer { self.state.withLock { $0.running[number] = nil } }
                return try await transport.send(.page(page), token: token)
            }
            state.running[number] = answer
            state.ahead = Fetch(page: page, token: token, answer: answer)
        }
    }

    private func take(_ page: Layer.NextPage, token: String) async -> SyncAnswer? {
        guard let fetch = state.withLock({ $0.ahead.take() }) else { return nil }
        guard fetch.page == page, fetch.token == token else {
            fetch.answer.cancel()
            return nil
        }
        return await withTaskCancellationHandler {
            try? await fetch.answer.value
        } onCancel: {
            fetch.answer.cancel()
        }
    }
}
