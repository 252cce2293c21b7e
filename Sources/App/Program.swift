package import Annotations
package import Screen

/// The program without its terminal: state, messages and services. The loop around it:
///
/// ```swift
/// program.start(at: now)
/// draw(program.canvas)
/// // for each batch of waiting messages, and once after `program.state.wakeAfter` milliseconds:
/// program.receive(messages, at: now)
/// draw(program.canvas)                     // nothing is sent when no cell changed
/// // until program.isDone
/// ```
///
/// Everything runs on one thread. `post` only fills the loop's queue.
package struct Program {
    package private(set) var state: AppState
    private let services: any AppServices
    private let post: @Sendable (Message) -> Void

    package init(state: AppState, services: any AppServices, post: @escaping @Sendable (Message) -> Void) {
        self.state = state
        self.services = services
        self.post = post
    }

    /// Requests the content of the first screen.
    package mutating func start(at now: Timestamp) {
        perform(update(&state, .tick(now)) + state.start())
    }

    package mutating func receive(_ messages: [Message], at now: Timestamp) {
        perform(update(&state, .tick(now)))
        for message in messages { perform(update(&state, message)) }
    }

    package var canvas: Canvas { view(state) }
    package var isDone: Bool { state.hasQuit }

    private func perform(_ effects: [Effect]) {
        for effect in effects { services.perform(effect, post: post) }
    }
}

/// The I/O of the program: performs effects and responds with messages.
///
/// `perform` is called on the loop's thread, one effect after another, in the order in which `update` requested them.
/// It returns at once, except for `Effect.suspend` and `Effect.editExternally`, which block the terminal, and never
/// waits for a write. It may wait up to one frame for a read, so that a fast response appears in the same frame. `post`
/// may be called during the call, and later from any thread.
package protocol AppServices: AnyObject {
    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void)
}
