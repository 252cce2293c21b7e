/// The calls that wait for a delegate, in order. If a delegate is slower than its layers, superseded calls are dropped
/// once many wait: an outdated state or progress, a finished cycle that was followed by another, a repeated request for a
/// token. Changed records are replaced by one ``InstantEvent/didMissEvents``.
/// The end of a download, of a token attempt or of the newest cycle is never dropped, and each delivered begin is
/// followed by one end.
struct DelegateEventBuffer<Client: Sendable, Descriptor: AnyObject & Sendable>: Sendable {
    /// Retains the client while its events wait.
    typealias Call = (event: InstantEvent, client: Client, descriptor: Descriptor)

    private var waiting: [Call] = []
    private var limit: Int
    private let bound: Int

    /// - Parameter bound: The number of calls that may wait before any is dropped.
    init(bound: Int = 64) { (self.bound, limit) = (bound, bound) }

    var count: Int { waiting.count }

    mutating func add(_ event: InstantEvent, _ client: Client, _ descriptor: Descriptor) {
        waiting.append((event, client, descriptor))
        guard waiting.count > limit else { return }
        condense()
        // The rest cannot be dropped: check again only after as many more calls have arrived.
        limit = max(bound, 2 * waiting.count)
    }

    mutating func next() -> Call? { waiting.isEmpty ? nil : waiting.removeFirst() }

    private mutating func condense() {
        var overtaken: Set<Int> = []
        var newest: [ObjectIdentifier: Newest] = [:]
        for (index, call) in waiting.enumerated() {
            newest[ObjectIdentifier(call.descriptor), default: Newest()].take(call.event, at: index, &overtaken)
        }
        for changes in newest.values.map(\.changes) where changes.count > 1 {
            overtaken.formUnion(changes.dropLast())
            if let last = changes.last { waiting[last].event = .didMissEvents }
        }
        waiting = waiting.enumerated().filter { !overtaken.contains($0.offset) }.map(\.element)
    }
}

/// The indices of the newest calls of each kind, for one descriptor.
private struct Newest {
    /// The calls about changed records.
    private(set) var changes: [Int] = []
    private var state: Int?
    private var progress: Int?
    private var upload: Int?
    private var question: Int?
    private var begin: Int?
    private var cycle: [Int] = []

    /// Marks the calls that this event supersedes.
    mutating func take(_ event: InstantEvent, at index: Int, _ overtaken: inout Set<Int>) {
        switch event {
        case .didChangeSyncState:
            if let state { overtaken.insert(state) }
            state = index
        case .didChangeRecords, .didMissEvents: changes.append(index)
        case .didMakeProgress:
            if let progress { overtaken.insert(progress) }
            progress = index
        case .didMakeUploadProgress:
            if let upload { overtaken.insert(upload) }
            upload = index
        case .didFailAuthentication:
            if let question { overtaken.insert(question) }
            question = index
        case .didBeginSync: begin = index
        case .didFinishSync, .didFailSync:
            // If no begin is waiting, the delegate has already received it and expects this end, or the sync could not begin.
            guard let begin else { return }
            overtaken.formUnion(cycle)
            cycle = [begin, index]
            self.begin = nil
        default: break
        }
    }
}
