/// Calls that wait for a delegate, in the order in which things happened. A delegate that is slower than its layers does
/// not make them pile up: once there are many, what was overtaken is left out. That is a state that is none any more, a
/// cycle that has ended and was followed by another, a question for a token that was asked again. How a download, a token
/// or the newest cycle ended is never left out, and each begin that is told is followed by one end.
struct DelegateEventBuffer<Client: Sendable, Descriptor: AnyObject & Sendable>: Sendable {
    /// The client lives as long as there is something to tell of it.
    typealias Call = (event: InstantEvent, client: Client, descriptor: Descriptor)

    private var waiting: [Call] = []
    private var limit: Int
    private let bound: Int

    /// - Parameter bound: how many calls may wait before anything is left out.
    init(bound: Int = 64) { (self.bound, limit) = (bound, bound) }

    var count: Int { waiting.count }

    mutating func add(_ event: InstantEvent, _ client: Client, _ descriptor: Descriptor) {
        waiting.append((event, client, descriptor))
        guard waiting.count > limit else { return }
        condense()
        // What is left cannot be left out: looked at again only when as much has come.
        limit = max(bound, 2 * waiting.count)
    }

    mutating func next() -> Call? { waiting.isEmpty ? nil : waiting.removeFirst() }

    private mutating func condense() {
        var overtaken: Set<Int> = []
        var newest: [ObjectIdentifier: Newest] = [:]
        for (index, call) in waiting.enumerated() {
            newest[ObjectIdentifier(call.descriptor), default: Newest()].take(call.event, at: index, &overtaken)
        }
        waiting = waiting.enumerated().filter { !overtaken.contains($0.offset) }.map(\.element)
    }
}

/// Where the newest of each kind waits, of one descriptor.
private struct Newest {
    private var state: Int?
    private var question: Int?
    private var begin: Int?
    private var cycle: [Int] = []

    /// Marks what this event overtakes.
    mutating func take(_ event: InstantEvent, at index: Int, _ overtaken: inout Set<Int>) {
        switch event {
        case .didChangeSyncState:
            if let state { overtaken.insert(state) }
            state = index
        case .didFailAuthentication:
            if let question { overtaken.insert(question) }
            question = index
        case .didBeginSync: begin = index
        case .didFinishSync, .didFailSync:
            // Without a begin that waits, the delegate has heard it already and waits for this.
            guard let begin else { return }
            overtaken.formUnion(cycle)
            cycle = [begin, index]
            self.begin = nil
        default: break
        }
    }
}
