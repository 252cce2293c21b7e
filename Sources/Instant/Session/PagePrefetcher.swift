import InstantCore
import SyncProtocol
import Synchronization

/// Sends requests. While one page of a snapshot is being stored, it downloads and parses the next one.
///
/// At most one page is prefetched. It is used only for exactly the request that it answers, with the same token; if
/// prefetching fails, the request is sent when it is due.
final class PagePrefetcher: Sendable {
    private struct Fetch {
        var page: Layer.NextPage
        var token: String
        var answer: Task<SyncAnswer, any Error>
    }

    private let transport: HTTPTransport
    private let ahead = Mutex<Fetch?>(nil)

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

    func drop() { ahead.withLock { $0.take() }?.answer.cancel() }

    private func fetch(_ page: Layer.NextPage, token: String) {
        let transport = transport
        let answer = Task { try await transport.send(.page(page), token: token) }
        ahead.withLock { $0 = Fetch(page: page, token: token, answer: answer) }
    }

    private func take(_ page: Layer.NextPage, token: String) async -> SyncAnswer? {
        guard let fetch = ahead.withLock({ $0.take() }) else { return nil }
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
