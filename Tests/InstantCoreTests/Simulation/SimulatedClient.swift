import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// One client whose process can die at any step: its store survives, everything else is made anew.
final class SimulatedClient {
    let name: String
    let layer: Layer
    var grant: Grant
    private(set) var synchronizer: Synchronizer
    private(set) var requests: [SyncRequest] = []
    private(set) var inputs: [Synchronizer.Input] = []
    private(set) var streams: [(id: StreamID, listener: Fanout.ListenerID)] = []
    private(set) var wake: Timestamp?
    private(set) var open = 0
    /// Text of the newest edit of each record that the person never took back.
    var made: [Record.ID: String] = [:]
    var receipts: [EditReceipt] = []
    private var nextTicket = 1
    private let server: SimulatedServer

    init(_ name: String, server: SimulatedServer) throws {
        self.name = name
        self.server = server
        grant = Grant(documentID: "doc", userID: name, expiresAt: Timestamp(seconds: 1_000_000))
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: name)
        layer = Layer(store: InstantCore.MemoryStore(LayerFacts(identity: identity, clientID: "\(name)-0")))
        synchronizer = Synchronizer(layer: layer)
    }

    func give(_ input: Synchronizer.Input, _ now: Timestamp, _ random: inout SeededRandom) throws {
        for effect in synchronizer.handle(input, now: now, random: &random) {
            switch effect {
            case .send(let request): requests.append(request)
            case .cancel(let id): requests.removeAll { $0.id == id }
            case .openStream(let stream):
                guard let (listener, events) = try server.listen(from: stream.cursor, by: grant) else { continue }
                streams.append((stream.id, listener))
                inputs += events.map { .heard(stream.id, $0) }
            case .closeStream(let id): drop(id)
            case .wake(let moment): wake = moment
            case .announce(.beganSync): open += 1
            case .announce(.finishedSync), .announce(.failedSync): open -= 1
            case .announce: break
            }
        }
    }

    func supplyToken(_ now: Timestamp, _ random: inout SeededRandom) throws {
        nextTicket += 1
        try give(.tokenSupplied(Ticket(nextTicket)), now, &random)
    }

    var ticketName: String { "\(name)-\(nextTicket)" }

    func crash(_ now: Timestamp, _ random: inout SeededRandom) throws {
        for stream in streams { server.close(stream.listener) }
        (requests, inputs, streams, wake, open) = ([], [], [], nil, 0)
        synchronizer = Synchronizer(layer: layer)
        try give(.listening(true), now, &random)
        try supplyToken(now, &random)
    }

    /// Gives one thing that is on its way; false when nothing is.
    func deliver(_ now: Timestamp, _ random: inout SeededRandom, faults: Bool) throws -> Bool {
        for stream in streams where inputs.count < 20 {
            inputs += try server.takeEvents(stream.listener).map { .heard(stream.id, $0) }
        }
        if !requests.isEmpty {
            try answer(requests.removeFirst(), now, &random, faults: faults)
            return true
        }
        guard !inputs.isEmpty else { return false }
        if faults, random.chance(1, of: 25), let stream = streams.last {
            drop(stream.id)
            try give(.streamEnded(stream.id, nil), now, &random)
            return true
        }
        try give(inputs.removeFirst(), now, &random)
        return true
    }

    private func answer(
        _ request: SyncRequest, _ now: Timestamp, _ random: inout SeededRandom, faults: Bool
    ) throws {
        let lost = SyncFailure.unreachable("lost")
        if faults, random.chance(1, of: 8) { return try give(.failed(request.id, lost), now, &random) }
        let token = "\(name)-\(request.ticket.number)"
        var result = try server.answer(request, by: grant, token: token, at: now)
        if faults, random.chance(1, of: 8) { result = try server.answer(request, by: grant, token: token, at: now) }
        if faults, random.chance(1, of: 8) { return try give(.failed(request.id, lost), now, &random) }
        let input: Synchronizer.Input =
            switch result {
            case .success(let answer): .answered(request.id, answer)
            case .failure(let failure): .failed(request.id, failure)
            }
        // Late answers and answers told twice come too.
        if faults, random.chance(1, of: 6) { inputs.append(input) }
        try give(input, now, &random)
    }

    private func drop(_ id: StreamID) {
        for stream in streams where stream.id == id { server.close(stream.listener) }
        streams.removeAll { $0.id == id }
        inputs.removeAll { if case .heard(id, _) = $0 { true } else { false } }
    }
}
