import InstantCore
import Synchronization

/// Asks a token provider for the tokens of one layer: one question at a time.
///
/// A provider that has nothing new, or whose token the server refuses, is not asked again until the next time that a
/// token is needed: the application is told instead.
final class TokenAsker: Sendable {
    typealias Provider = @Sendable () async throws -> String?

    enum Answer: Hashable, Sendable {
        case token(String)
        /// Nothing, an error, or the token that no longer works.
        case nothing
    }

    private struct State {
        var task: Task<Void, Never>?
        /// The last token that was supplied, by the application or the provider.
        var last: String?
        /// Whether that token came from the provider, and the server has not accepted it yet.
        var isUnproven = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Notes a token that the application supplies: it takes precedence over an answer that is on its way.
    func supplied(_ jwt: String) {
        state.withLock { state in
            state.last = jwt
            state.isUnproven = false
        }
    }

    /// Asks the provider, unless a question is open or its last token was refused. The question stays open until
    /// ``delivered()``: what is reported before the session has the answer says nothing about it.
    ///
    /// - Parameter answered: Called once for each question, unless the application supplies a token first. Must lead to
    ///   ``delivered()``.
    /// - Returns: Whether a question is open; if not, the application must be told that a token is needed.
    func ask(_ provider: @escaping Provider, then answered: @escaping @Sendable (Answer) -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.task == nil else { return true }
            guard !state.isUnproven else {
                state.isUnproven = false
                return false
            }
            let refused = state.last
            state.task = Task { [weak self] in
                let jwt = try? await provider()
                if let answer = self?.answer(jwt, refused: refused) { answered(answer) }
            }
            return true
        }
    }

    /// - Returns: nil if the answer is no longer wanted.
    private func answer(_ jwt: String?, refused: String?) -> Answer? {
        state.withLock { state in
            guard !state.isClosed, state.last == refused else {
                state.task = nil
                return nil
            }
            guard let jwt, jwt != refused else { return .nothing }
            state.last = jwt
            state.isUnproven = true
            return .token(jwt)
        }
    }

    /// Closes the question: the session has its answer.
    func delivered() { state.withLock { $0.task = nil } }

    func accepted() { state.withLock { $0.isUnproven = false } }

    /// - Returns: The open question, cancelled.
    @discardableResult
    func close() -> Task<Void, Never>? {
        let task = state.withLock { state in
            state.isClosed = true
            state.last = nil
            return state.task.take()
        }
        task?.cancel()
        return task
    }
}
