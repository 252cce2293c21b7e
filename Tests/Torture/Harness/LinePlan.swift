import TestSupport

/// The requests of one connection and how they are sent.
struct LinePlan {
    /// How the bytes of a batch are sent.
    enum Pace {
        case atOnce
        /// In pieces of up to this many bytes, with a pause in milliseconds between them.
        case pieces(Int, pause: Int)
    }

    /// How responses are read.
    enum Reading {
        case eager
        /// This many bytes at each interval, in milliseconds.
        case slow(Int, every: Int)
        /// Not before this many milliseconds after the batch was sent.
        case late(Int)
    }

    enum Ending {
        case close
        /// With `Connection: close` on the last request.
        case closeHeader
        /// The last request is HTTP/1.0.
        case oldVersion
        /// Nothing more is sent, and everything is read.
        case halfClose
        /// In the last batch, after this many thousandths of its bytes.
        case cut(Int, isReset: Bool)
    }

    /// How long a token is valid.
    enum Life {
        case lasting
        case expires(afterMilliseconds: Int)
        case revoked(afterMilliseconds: Int)
        case wrong
    }

    var server: Int
    /// Milliseconds before it connects.
    var delay: Int
    var batches: [[Item]] = []
    var pace = Pace.atOnce
    var reading = Reading.eager
    var receiveBuffer: Int?
    var ending = Ending.close
    var life = Life.lasting

    enum Item {
        /// The client's next push, with this framing.
        case push(Framing)
        case ask(Ask)
    }

    enum Framing {
        case plain, chunked, expect
    }

    /// Creates the plan of a client that only sends its pushes.
    init(honestly count: Int, server: Int) {
        self.server = server
        delay = 0
        batches = (0..<count).map { _ in [.push(.plain)] }
    }

    init(_ features: Plan.Features, _ floods: Bool, _ random: inout SeededRandom) {
        server = Int.random(in: 0...1, using: &random)
        delay = Int.random(in: 0...200, using: &random)
        let depth = features.contains(.pipelining) ? random.pick([1, 2, 5, 20, 100]) : 1
        for _ in 0..<Int.random(in: 1...max(1, 30 / depth), using: &random) {
            var batch = (0..<depth).map { _ in Self.item(features, isAlone: depth == 1, &random) }
            if depth > 1, random.chance(1, of: 2) { batch = [.push(.plain)] + batch }
            batches.append(batch)
        }
        if floods, random.chance(2, of: 3) {
            let count = random.pick([1_000, 2_000, 3_000])
            batches.append([.push(.plain)] + (0..<count).map { _ in .ask(.tiny) } + [.push(.plain), .ask(.health)])
        }
        if features.contains(.slowness) { slowDown(&random) }
        ending = random.pick([.close, .close, .closeHeader, .oldVersion])
        if features.contains(.cuts), random.chance(1, of: 2) {
            ending =
                random.chance(1, of: 5)
                ? .halfClose : .cut(Int.random(in: 0...1_000, using: &random), isReset: random.chance(1, of: 2))
        }
        if features.contains(.mortalTokens) {
            let moment = Int.random(in: 0...2_000, using: &random)
            life = random.pick([
                .lasting, .expires(afterMilliseconds: moment), .revoked(afterMilliseconds: moment), .wrong,
            ])
        }
        if features.contains(.malformed), random.chance(1, of: 3) {
            batches.append([
                .ask(.health), .ask(.malformed(Int.random(in: 0..<Ask.malformedRequests.count, using: &random))),
            ])
            ending = .close
        } else if features.contains(.streams), random.chance(1, of: 2) {
            batches.append([.ask(.stream(milliseconds: Int.random(in: 0...2_000, using: &random)))])
            ending = .close
        }
    }

    private mutating func slowDown(_ random: inout SeededRandom) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: pace = .pieces(random.pick([1, 7, 100]), pause: 0)
        case 1: pace = .pieces(random.pick([50, 500, 5_000]), pause: Int.random(in: 1...20, using: &random))
        case 2: (reading, receiveBuffer) = (.slow(random.pick([100, 1_000, 10_000]), every: 5), 4096)
        case 3: (reading, receiveBuffer) = (.late(Int.random(in: 50...1_000, using: &random)), 4096)
        default: break
        }
    }

    private static func item(_ features: Plan.Features, isAlone: Bool, _ random: inout SeededRandom) -> Item {
        if random.chance(1, of: 2) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .push(.chunked)
            case 1 where isAlone: return .push(.expect)
            default: return .push(.plain)
            }
        }
        if features.contains(.streams), random.chance(1, of: 20) { return .ask(.poll) }
        if features.contains(.largeBodies), isAlone, random.chance(1, of: 10) {
            return .ask(random.pick([.tooManyChanges, .tooManyBytes, .refusedUpload]))
        }
        return .ask(
            random.pick([
                .health, .health, .readiness, .description, .session, .records, .digest, .document, .headHealth,
                .headSession, .notFound, .wrongMethod, .wrongToken, .noToken, .wrongSecret, .documents, .annotations,
                .nonsense, .nonsense,
            ]))
    }
}

/// A request that changes nothing.
enum Ask {
    case health, readiness, description, headHealth, notFound, wrongMethod
    case session, records, digest, document, headSession, wrongToken, noToken
    case documents, annotations, wrongSecret
    /// A push whose body is not a message.
    case nonsense
    /// The same in the fewest bytes possible, and without a token.
    case tiny
    case tooManyChanges, tooManyBytes
    /// A large upload with a wrong secret.
    case refusedUpload
    /// A long poll of one second.
    case poll
    /// A stream of events for this duration.
    case stream(milliseconds: Int)
    case malformed(Int)

    static let malformedRequests = [
        "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA\u{0}b: c\r\n\r\n", "GET /\r\nhealthcheck HTTP/1.1\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "X: y\r\n", count: 2_000))\r\n",
        "GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /instant/v1/changes HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /instant/v1/changes HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "POST /instant/v1/changes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n",
        "POST /instant/v1/changes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
    ]
}

/// The next step of the customer's backend, on a separate connection.
enum BackendStep {
    case copy(to: String)
    case deleteLayer(String)
    case upload(String, bytes: Int)
    case deleteDocument(String)
    /// Notes with these ids, into a layer that clients write to.
    case create([String], layer: String)
    case export

    static func copies(_ seed: UInt64, _ random: inout SeededRandom) -> [BackendStep] {
        (0..<Int.random(in: 2...4, using: &random)).flatMap { index -> [BackendStep] in
            let name = "s\(seed)-copy\(index)"
            return [.copy(to: name)] + (random.chance(1, of: 2) ? [.export] : []) + [.deleteLayer(name)]
        }
    }

    static func uploads(_ seed: UInt64, _ random: inout SeededRandom) -> [BackendStep] {
        (0..<Int.random(in: 1...3, using: &random)).flatMap { index -> [BackendStep] in
            let name = "s\(seed)-pdf\(index)"
            let upload = BackendStep.upload(name, bytes: random.pick([1_000, 100_000, 1 << 20]))
            return random.chance(2, of: 3) ? [upload, .deleteDocument(name)] : [upload]
        }
    }

    static func bulk(_ seed: UInt64, _ random: inout SeededRandom) -> [BackendStep] {
        (0..<Int.random(in: 2...6, using: &random)).map { index in
            let layer = "s\(seed)-shared\(Int.random(in: 0..<Plan.sharedLayers, using: &random))"
            let count = random.pick([1, 20, 150])
            return .create((0..<count).map { "s\(seed)-bulk\(index)-\($0)" }, layer: layer)
        }
    }
}
