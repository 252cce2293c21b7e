package import Annotations
package import Screen

/// The program without a screen: lines in, lines out. It uses the same state, messages, effects and services as
/// `Program`.
///
/// ```swift
/// program.start(at: now)
/// // on every event: a message, a line while `isReady`, the end of input
/// program.receive(messages, at: now)
/// write(program.takeLines())
/// if program.isReady { write(program.prompt) }
/// // until program.isDone
/// ```
package struct PlainProgram {
    private(set) var state: PlainState
    private let services: any AppServices
    private let post: @Sendable (Message) -> Void

    package init(
        _ state: AppState, announces: Bool = true, services: any AppServices,
        post: @escaping @Sendable (Message) -> Void
    ) {
        self.state = PlainState(state)
        self.state.announces = announces
        self.services = services
        self.post = post
    }

    package mutating func start(at now: Timestamp) {
        perform(state.start(at: now))
    }

    package mutating func receive(_ messages: [Message], at now: Timestamp) {
        perform(state.receive(.tick(now)))
        for message in messages { perform(state.receive(message)) }
    }

    /// Handles an input line. Call it only while `isReady`.
    package mutating func read(_ line: String, at now: Timestamp) {
        perform(state.receive(.tick(now)))
        perform(state.read(line))
    }

    /// Handles the end of input.
    package mutating func end(at now: Timestamp) {
        receive([.terminate], at: now)
    }

    /// Returns the lines to write, in order, and removes them.
    package mutating func takeLines() -> [CleanText] { state.takeLines() }

    /// Whether the last command is done and the program waits for a line.
    package var isReady: Bool { state.isReady }
    package var prompt: CleanText { state.prompt }
    /// Whether the next line is a secret that must not be echoed.
    package var hidesInput: Bool { state.hidesInput }
    package var isDone: Bool { state.app.hasQuit }
    /// Whether the program ends because what it was started with cannot be opened; the reason is among its lines.
    package var hasFailed: Bool { state.hasFailed }
    /// The message printed when the program ends.
    package var farewell: CleanText? { state.app.farewell.map { CleanText(cleaning: $0) } }

    private func perform(_ effects: [Effect]) {
        for effect in effects { services.perform(effect, post: post) }
    }
}
