package import Annotations
package import Screen

/// The program without its terminal: a state, the queue's messages, the world. The loop around it is
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
/// All of it happens on one thread. `post` only fills the loop's queue.
package struct Program {
    package private(set) var state: AppState
    private let services: any AppServices
    private let post: @Sendable (Message) -> Void

    package init(state: AppState, services: any AppServices, post: @escaping @Sendable (Message) -> Void) {
        self.state = state
        self.services = services
        self.post = post
    }

    /// Asks for what the first screen shows.
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

/// The world as the program sees it: what performs effects and answers with messages.
///
/// `perform` is called on the loop's thread, one effect after the other, in the order in which `update` asked for them.
/// It returns at once, except for `Effect.suspend` and `Effect.editExternally`, which hold the terminal, and never waits
/// for a write. It may wait for a read as long as a screen shows a picture, so that a quick answer is in the same one.
/// `post` may be called from there, and from any thread later.
package protocol AppServices: AnyObject {
    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void)
}
