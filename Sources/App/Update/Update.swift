/// What a message does to the state, and what it asks of the world. Pure and total: no clock, no I/O, no message that
/// it cannot take in any state.
package func update(_ state: inout AppState, _ message: Message) -> [Effect] {
    switch message {
    case .tick(let now): state.now = now
    case .resize(let size): state.size = size
    default: break
    }
    return []
}
