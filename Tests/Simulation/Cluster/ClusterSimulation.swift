import EngineCore
import SyncProtocol
import TestSupport

/// Many servers on one database, in one thread and with a simulated clock. The servers decide with the engine's own
/// `PublicationCursor` what to publish and what to read again; the database is a log of each layer. Checks that every
/// listener gets every revision once and in order, and counts what this costs.
///
/// Time passes in steps of a millisecond. What is simulated of `ClusterSync`: notifications after the commit, in a
/// transaction of their own, gathered while the last one is under way; a read of a layer when it is behind; a read of all
/// layers with listeners every two seconds; people gathered for 100 ms, in messages of at most 7,900 bytes.
package struct ClusterSimulation {
    private static let pollInterval = 2000
    private static let presenceInterval = 20_000
    private static let gatheringTime = 100
    /// Of one entry of a presence message: a name, a page and one box.
    private static let presenceEntryBytes = 220
    private static let presenceMessageBytes = 7900

    private enum Event {
        case write(person: Int)
        case move(person: Int)
        case announce(person: Int)
        case tell(server: Int)
        case arrive(server: Int, layer: Int64, head: Revision)
        case look(server: Int)
        case poll(server: Int)
        case tellPresence(server: Int)
    }

    /// One server's memory.
    private struct Server {
        var feed = PublicationCursor()
        /// Notifications to send.
        var pending: [Int64: Revision] = [:]
        var isTelling = false
        /// Layers to read.
        var wanted: Set<Int64> = []
        var isLooking = false
        var moved: Set<Int> = []
        var isGathering = false
        /// The revision that the listeners of each layer have.
        var heard: [Int64: Revision] = [:]
    }

    private let scene: ClusterScene
    private var random: SeededRandom
    private var agenda: [Int: [Event]] = [:]
    private var now = 0
    private var servers: [Server]
    private var layers: [ServerLayer]
    private var places: [(server: Int, layer: Int)] = []
    private var load = ClusterLoad()
    private var violation: String?

    package init(_ scene: ClusterScene, seed: UInt64) {
        self.scene = scene
        random = SeededRandom(seed: seed)
        servers = Array(repeating: Server(), count: scene.servers)
        layers = (0..<scene.layers).map {
            ServerLayer(
                id: Int64($0), key: LayerKey(document: "\($0)", name: ""), generation: "g", base: 0, pageCount: 1)
        }
        for person in 0..<scene.people {
            // A proxy sends a client to any server.
            let place = (server: Int.random(in: 0..<scene.servers, using: &random), layer: person % scene.layers)
            places.append(place)
            servers[place.server].feed.join(layers[place.layer])
            servers[place.server].heard[Int64(place.layer)] = 0
            schedule(.write(person: person), firstWait(scene.writesPerPersonAndMinute))
            guard Double.random(in: 0..<1, using: &random) < scene.visible else { continue }
            schedule(.move(person: person), firstWait(scene.movesPerPersonAndMinute))
            schedule(.announce(person: person), Int.random(in: 0..<Self.presenceInterval, using: &random))
        }
        for server in servers.indices {
            schedule(.poll(server: server), Int.random(in: 0..<Self.pollInterval, using: &random))
        }
        load.mostLayersOfAServer = servers.map { $0.heard.count }.max() ?? 0
    }

    /// Runs the scene, and then without further writes until every listener should have everything.
    ///
    /// - Returns: The cost of the scene, without the quiet end.
    /// - Throws: A ``ClusterViolation``.
    package mutating func run() throws(ClusterViolation) -> ClusterLoad {
        let end = scene.seconds * 1000
        while now < end { step(isQuiet: false) }
        let cost = load
        while now < end + 2 * Self.pollInterval { step(isQuiet: true) }
        for (number, server) in servers.enumerated() {
            for (layer, revision) in server.heard where revision != layers[Int(layer)].head {
                throw ClusterViolation(
                    text: "server \(number) has layer \(layer) at \(revision), not \(layers[Int(layer)].head)")
            }
        }
        if let violation { throw ClusterViolation(text: violation) }
        return cost
    }

    // MARK: Time

    private mutating func schedule(_ event: Event, _ delay: Int) {
        agenda[now + max(1, delay), default: []].append(event)
    }

    /// The time to the next of events that happen this often in a minute.
    private mutating func wait(_ perMinute: Double) -> Int {
        guard perMinute > 0 else { return .max / 2 }
        return Int(Double.random(in: 0.5..<1.5, using: &random) * 60_000 / perMinute)
    }

    /// The time to the first one after any moment, so that the rate is right from the beginning.
    private mutating func firstWait(_ perMinute: Double) -> Int {
        guard perMinute > 0 else { return .max / 2 }
        return Int(Double.random(in: 0..<1, using: &random) * 60_000 / perMinute)
    }

    private mutating func step(isQuiet: Bool) {
        for event in agenda.removeValue(forKey: now) ?? [] {
            switch event {
            case .write(let person):
                guard !isQuiet else { continue }
                write(person)
                schedule(.write(person: person), wait(scene.writesPerPersonAndMinute))
            case .move(let person):
                show(person)
                schedule(.move(person: person), wait(scene.movesPerPersonAndMinute))
            case .announce(let person):
                show(person)
                schedule(.announce(person: person), Self.presenceInterval)
            case .tell(let server): tell(server)
            case .arrive(let server, let layer, let head): arrive(server, layer, head)
            case .look(let server): look(server)
            case .poll(let server):
                load.polls += 1
                load.polledLayers += servers[server].heard.count
                want(servers[server].feed.layers.map(\.id), server)
                schedule(.poll(server: server), Self.pollInterval)
            case .tellPresence(let server): tellPresence(server)
            }
        }
        now += 1
    }

    // MARK: Changes

    private mutating func write(_ person: Int) {
        let place = places[person]
        load.commits += 1
        let before = layers[place.layer].head
        layers[place.layer].head += 1
        publish(Commit(before: before, layer: layers[place.layer]), place.server)
        servers[place.server].pending[Int64(place.layer)] = layers[place.layer].head
        guard !servers[place.server].isTelling else { return }
        servers[place.server].isTelling = true
        schedule(.tell(server: place.server), 1)
    }

    /// Sends what has gathered, in one transaction.
    private mutating func tell(_ server: Int) {
        let pending = servers[server].pending
        servers[server].pending = [:]
        servers[server].isTelling = false
        load.notifyTransactions += 1
        load.notifications += pending.count
        for (layer, head) in pending.sorted(by: { $0.key < $1.key }) {
            for other in servers.indices {
                load.deliveries += 1
                guard scene.loss == 0 || Double.random(in: 0..<1, using: &random) >= scene.loss else { continue }
                // The server's memory decides at once whether the layer matters; only then is there an event.
                guard servers[other].feed.isHeard(layer) else { continue }
                let delay = Int.random(in: 1...5, using: &random)
                schedule(.arrive(server: other, layer: layer, head: head), delay)
            }
        }
    }

    private mutating func arrive(_ server: Int, _ layer: Int64, _ head: Revision) {
        guard servers[server].feed.layer(layer, ifBehind: head) != nil else { return }
        load.looks += 1
        want([layer], server)
    }

    private mutating func want(_ wanted: [Int64], _ server: Int) {
        servers[server].wanted.formUnion(wanted)
        guard !servers[server].isLooking else { return }
        servers[server].isLooking = true
        schedule(.look(server: server), 1)
    }

    private mutating func look(_ server: Int) {
        let wanted = servers[server].wanted
        servers[server].wanted = []
        servers[server].isLooking = false
        for told in servers[server].feed.layers where wanted.contains(told.id) {
            let now = layers[Int(told.id)]
            if now.head > told.head { publish(Commit(before: told.head, layer: now), server) }
        }
    }

    private mutating func publish(_ commit: Commit, _ server: Int) {
        let layer = commit.layer.id
        switch servers[server].feed.take(commit) {
        case .nothing: break
        case .look: want([layer], server)
        case .publish:
            load.events += 1
            guard let last = servers[server].heard[layer] else {
                violation = violation ?? "server \(server) published layer \(layer) to nobody"
                return
            }
            if commit.before > last || commit.layer.head <= last {
                violation =
                    violation ?? "server \(server), layer \(layer): \(commit.before)…\(commit.layer.head) after \(last)"
            }
            servers[server].heard[layer] = commit.layer.head
        }
    }

    // MARK: People

    private mutating func show(_ person: Int) {
        let server = places[person].server
        servers[server].moved.insert(person)
        guard !servers[server].isGathering else { return }
        servers[server].isGathering = true
        schedule(.tellPresence(server: server), Self.gatheringTime)
    }

    private mutating func tellPresence(_ server: Int) {
        let count = servers[server].moved.count
        servers[server].moved = []
        servers[server].isGathering = false
        let each = Self.presenceMessageBytes / Self.presenceEntryBytes
        let messages = (count + each - 1) / each
        load.notifyTransactions += 1
        load.presenceNotifications += messages
        load.presenceEntries += count * scene.servers
        load.deliveries += messages * scene.servers
    }
}

/// What a listener did not get, or got twice.
package struct ClusterViolation: Error, CustomStringConvertible {
    var text: String
    package var description: String { text }
}
