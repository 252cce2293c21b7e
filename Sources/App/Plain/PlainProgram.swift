package import Annotations
package import Screen

/// The program without a screen: lines in, lines out. Over the same state, messages, effects and world as `Program`.
///
/// ```swift
/// program.start(at: now)
/// // whatever happened: a message, a line while `isReady`, the end of input
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

    /// A line that was typed. Only while `isReady`.
    package mutating func read(_ line: String, at now: Timestamp) {
        perform(state.receive(.tick(now)))
        perform(state.read(line))
    }

    /// No line will follow.
    package mutating func end(at now: Timestamp) {
        receive([.terminate], at: now)
    }

    /// What is to be written, in order; each is asked for once.
    package mutating func takeLines() -> [CleanText] { state.takeLines() }

    /// Whether the last command is done and a line is waited for.
    package var isReady: Bool { state.isReady }
    package var prompt: CleanText { state.prompt }
    /// The line that is waited for is a secret: it is not to be seen while it is typed.
    package var hidesInput: Bool { state.hidesInput }
    package var isDone: Bool { state.app.hasQuit }
    /// What is worth saying at the end.
    package var farewell: CleanText? { state.app.farewell.map { CleanText(cleaning: $0) } }

    private func perform(_ effects: [Effect]) {
        for effect in effects { services.perform(effect, post: post) }
    }
}
