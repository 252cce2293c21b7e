import Annotations
import SyncProtocol
import TestSupport

/// The store in which the server keeps its layers.
package enum StoreKind: String, CaseIterable, Sendable {
    case sqlite, postgres
}

/// The events of one episode, drawn from its seed. Times are milliseconds of a clock, so a seed replays the plan but
/// not the machine's scheduling.
struct Plan {
    /// Each episode has some of these, so that one fault does not hide all others.
    struct Features: OptionSet {
        let rawValue: Int
        /// Many requests in one write.
        static let pipelining = Features(rawValue: 1)
        /// Thousands of small pushes after one large push.
        static let floods = Features(rawValue: 2)
        /// Connections that are cut, reset or half-closed.
        static let cuts = Features(rawValue: 4)
        /// Slow senders, slow readers, small pieces.
        static let slowness = Features(rawValue: 8)
        /// Bodies near and over the limits.
        static let largeBodies = Features(rawValue: 16)
        /// Bytes that are not a request.
        static let malformed = Features(rawValue: 32)
        /// Tokens that expire or are revoked.
        static let mortalTokens = Features(rawValue: 64)
        /// Streams and long polls.
        static let streams = Features(rawValue: 128)
        /// Copies of a large layer.
        static let copies = Features(rawValue: 256)
        /// Uploads and deletions of PDFs.
        static let uploads = Features(rawValue: 512)
        /// Annotations created in bulk by the backend.
        static let bulk = Features(rawValue: 1024)
        /// SIGTERM in the middle, and a restart on the same data.
        static let stop = Features(rawValue: 2048)
        static let count = 12
    }

    let seed: UInt64
    let features: Features
    var clients: [ClientPlan] = []
    var backends: [[BackendStep]] = []
    var stop: Stop?

    struct Stop {
        var server: Int
        var at: Int
    }

    /// The number of layers that clients share; every client with an odd number has a separate one.
    static let sharedLayers = 2
    /// Records of each shared layer that all its clients update.
    static let commons = 3
    static func common(_ index: Int) -> String { "common\(index)" }

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        var features = Features()
        for bit in 0..<Features.count where random.chance(2, of: 5) { features.insert(Features(rawValue: 1 << bit)) }
        self.features = features
        for index in 0..<Int.random(in: 3...8, using: &random) {
            clients.append(ClientPlan(index, features, seed, &random))
        }
        if features.contains(.copies) { backends.append(BackendStep.copies(seed, &random)) }
        if features.contains(.uploads) { backends.append(BackendStep.uploads(seed, &random)) }
        if features.contains(.bulk) { backends.append(BackendStep.bulk(seed, &random)) }
        if features.contains(.stop) {
            stop = Stop(server: Int.random(in: 0...1, using: &random), at: Int.random(in: 50...2_500, using: &random))
        }
    }

    var summary: String {
        let names = [
            "pipelining", "floods", "cuts", "slowness", "large bodies", "malformed", "mortal tokens", "streams",
            "copies", "uploads", "bulk", "stop",
        ]
        let active = names.indices.filter { features.contains(Features(rawValue: 1 << $0)) }.map { names[$0] }
        return "\(clients.count) clients; " + (active.isEmpty ? "nothing special" : active.joined(separator: ", "))
    }
}

/// A client: a queue of pushes, and the connections on which it sends them, one after the other.
struct ClientPlan {
    var name: String
    var user: String
    var layer: String
    /// Whether no other client writes to the layer.
    var isAlone: Bool
    var pushes: [[ChangePlan]] = []
    var lines: [LinePlan] = []

    init(_ index: Int, _ features: Plan.Features, _ seed: UInt64, _ random: inout SeededRandom) {
        name = "s\(seed)c\(index)"
        user = "user\(index)"
        isAlone = index % 2 == 1
        layer = isAlone ? "s\(seed)-own\(index)" : "s\(seed)-shared\(index / 2 % Plan.sharedLayers)"
        var maker = ChangeMaker(client: name, isAlone: isAlone)
        let floods = features.contains(.floods) && index < 2
        for _ in 0..<Int.random(in: 4...40, using: &random) {
            let isMany = random.chance(1, of: floods ? 4 : 20)
            let count = isMany ? 200 : random.chance(3, of: 4) ? 1 : Int.random(in: 2...12, using: &random)
            maker.hasLarge = features.contains(.largeBodies) && count <= 2
            pushes.append((0..<count).map { _ in maker.next(&random) })
        }
        for _ in 0..<Int.random(in: 1...5, using: &random) { lines.append(LinePlan(features, floods, &random)) }
    }
}

/// One change, except for values known only at the time of sending.
enum ChangePlan {
    case fixed(Change)
    /// An update of a record that others also update, based on the client's current knowledge.
    case updateCommon(n: Int64, id: String, text: String)
}

/// Generates changes by one client whose results do not depend on other clients.
struct ChangeMaker {
    let client: String
    let isAlone: Bool
    var hasLarge = false
    private var made = 0
    private var n: Int64 = 0
    private var own: [String] = []
    private var roots: [String] = []
    private var gone: [String] = []

    init(client: String, isAlone: Bool) { (self.client, self.isAlone) = (client, isAlone) }

    mutating func next(_ random: inout SeededRandom) -> ChangePlan {
        n += 1
        made += 1
        let id = "\(client)-\(made)"
        func change(_ kind: ChangeKind, _ id: String, _ content: Content? = nil) -> ChangePlan {
            // The null group or none: without a default group, both mean the null group.
            .fixed(
                Change(
                    n: n, kind: kind, id: id, baseRevision: 0, group: made.isMultiple(of: 2) ? nil : .some(nil),
                    content: content))
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9 where !own.isEmpty && random.chance(1, of: 3):
            return change(.update, random.pick(own), Self.note("again \(made)", size: size(&random)))
        case 9:
            roots.append(id)
            return change(.create, id, Self.marker())
        case 10 where !roots.isEmpty:
            return change(.create, id, Self.comment(on: random.pick(roots), "reply \(made)"))
        case 11...12 where !own.isEmpty:
            let id = own.remove(at: random.pick(own.indices))
            gone.append(id)
            return change(.delete, id)
        case 13 where !gone.isEmpty: return change(.update, random.pick(gone), Self.note("too late", size: 10))
        case 14 where !gone.isEmpty: return change(.create, random.pick(gone), Self.note("once more", size: 10))
        case 15: return change(.create, id, Self.invalid(&random))
        case 16: return change(.delete, "never-\(id)")
        case 17...18 where !isAlone:
            return .updateCommon(n: n, id: Plan.common(Int.random(in: 0..<Plan.commons, using: &random)), text: id)
        default:
            own.append(id)
            return change(.create, id, Self.note("text \(made)", size: size(&random)))
        }
    }

    private func size(_ random: inout SeededRandom) -> Int {
        guard hasLarge, random.chance(1, of: 10) else { return Int.random(in: 0...200, using: &random) }
        // Around the largest body that is answered without the framework, and the largest record.
        return random.pick([64_900, 65_300, 65_536, 66_000, 200_000, 1 << 20])
    }

    static func note(_ text: String, size: Int) -> Content {
        var object = object("pspdfkit/note")
        object["text"] = .string(text + String(repeating: "x", count: size))
        return Content(object)
    }

    private static func marker() -> Content { Content(object("pspdfkit/comment-marker")) }

    private static func comment(on root: String, _ text: String) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = "pspdfkit/comment"
        object["rootId"] = .string(root)
        object["pageIndex"] = 0
        object["text"] = ["format": "plain", "value": .string(text)]
        return Content(object)
    }

    private static func invalid(_ random: inout SeededRandom) -> Content {
        var object = object("pspdfkit/note")
        switch Int.random(in: 0..<3, using: &random) {
        case 0: object["pageIndex"] = 99
        case 1: object["v"] = 7
        default: object["bbox"] = "none"
        }
        return Content(object)
    }

    static func object(_ type: String) -> JSONObject {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = .string(type)
        object["pageIndex"] = 0
        object["bbox"] = [10, 10, 20, 20]
        return object
    }
}

extension Content {
    /// Returns a note with all its members, so that a server adds nothing.
    static func plainNote(_ text: String, size: Int = 0) -> Content { ChangeMaker.note(text, size: size) }
}
