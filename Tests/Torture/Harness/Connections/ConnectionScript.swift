import TestSupport

/// One planned connection of the connection campaign: what it sends, and how it ends.
struct ConnectionScript {
    enum Act {
        /// Complete requests, sent without waiting in between.
        case requests([Request])
        /// The body is sent after `100 Continue`, or not at all.
        case expect(Request)
        case pause(milliseconds: Int)
        // Only at the end:
        /// These thousandths of a request.
        case partial(Request, Int)
        /// A request followed by bytes for as long as the connection lasts.
        case endless(Request, Filler)
        /// Not a request: one refusal, or the end.
        case garbage([UInt8])
        /// A stream of events, until its token ends.
        case stream(Request)
    }

    enum Filler {
        case plain, chunks, fields

        var bytes: [UInt8] {
            switch self {
            case .plain: [UInt8](repeating: UInt8(ascii: "x"), count: 32_768)
            case .chunks: Array("8000\r\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 32_768) + [13, 10]
            case .fields: Array(String(repeating: "X: y\r\n", count: 4_000).utf8)
            }
        }
    }

    /// What the client does when everything is sent.
    enum End: CaseIterable {
        case close, reset
        /// Ends its side and reads the rest.
        case halfClose
        /// Stays and reads until the server closes.
        case abandon
        /// Stays and reads nothing from the beginning.
        case deaf
    }

    var acts: [Act] = []
    var end: End
    /// Sends the next act before the last one is answered.
    var isPipelined: Bool
    /// The most bytes of one write, and the pause after it in milliseconds; nil: everything at once.
    var pieces: (bytes: Int, pause: Int)?
    /// The milliseconds until the connection is opened.
    var delay: Int

    init(_ maker: inout ScriptRequests, _ random: inout SeededRandom) throws {
        end = random.pick(End.allCases)
        isPipelined = random.chance(1, of: 2)
        delay = Int.random(in: 0...3_000, using: &random)
        if random.chance(1, of: 3) {
            pieces = (
                random.pick([1, 7, 100, 2_000]), random.chance(1, of: 2) ? Int.random(in: 1...5, using: &random) : 0
            )
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: acts.append(.pause(milliseconds: Int.random(in: 1...500, using: &random)))
            case 1: acts.append(.expect(try maker.expected(&random)))
            default:
                let count = random.pick([1, 1, 2, 5, 40])
                acts.append(.requests(try (0..<count).map { _ in try maker.ordinary(&random) }))
            }
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0...1: acts.append(.partial(try maker.ordinary(&random), Int.random(in: 1...999, using: &random)))
        case 2...3: acts.append(try maker.endless(&random))
        case 4: acts.append(.garbage(maker.garbage(&random)))
        case 5: acts.append(.stream(try maker.stream(&random)))
        default: break
        }
    }
}

/// Creates the requests of one episode.
struct ScriptRequests {
    private var maker: RequestMaker
    private let layer: LayerStart
    private let layerName: String
    private let token: String
    /// Creates a token that expires after this many seconds.
    private let mortal: (Int) throws -> String
    static let endlessBytes = 10_000_000_000

    init(
        _ maker: RequestMaker, layer: LayerStart, named layerName: String, token: String,
        mortal: @escaping (Int) throws -> String
    ) {
        (self.maker, self.layer, self.layerName, self.token) = (maker, layer, layerName, token)
        self.mortal = mortal
    }

    private mutating func ask(_ ask: Ask) -> Request {
        maker.ask(ask, token: token, layer: layerName, epoch: layer.epoch, head: layer.head)
    }

    mutating func ordinary(_ random: inout SeededRandom) throws -> Request {
        var request = ask(
            random.pick([
                .health, .readiness, .description, .headHealth, .notFound, .wrongMethod, .session, .records, .digest,
                .document, .headSession, .wrongToken, .noToken, .documents, .annotations, .wrongSecret, .nonsense,
                .tiny,
                .poll,
            ]))
        guard request.raw == nil else { return request }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: request.isOldVersion = true
        case 1: request.endsConnection = true
        case 2: request.fields += [("Connection", "Upgrade"), ("Upgrade", "websocket")]
        case 3 where request.body == nil:
            // A body where none is expected.
            request.body = [UInt8](repeating: 120, count: random.pick([1, 1_000, 70_000, 300_000]))
            request.framing = random.pick([.plain, .chunked])
        default: break
        }
        return request
    }

    mutating func expected(_ random: inout SeededRandom) throws -> Request {
        var request = ask(random.pick([.nonsense, .wrongSecret, .tooManyBytes, .refusedUpload]))
        request.framing = .expect
        if request.body == nil { request.body = [1, 2, 3] }
        return request
    }

    /// A request that is refused, or answered without its body, which never ends.
    mutating func endless(_ random: inout SeededRandom) throws -> ConnectionScript.Act {
        var request: Request
        switch Int.random(in: 0..<8, using: &random) {
        case 0: request = ask(.refusedUpload)
        case 1: request = ask(.notFound)
        case 2: request = ask(.health)
        case 3: request = ask(.noToken)
        case 4:
            // Accepted bytes, up to the limit of a push.
            request = ask(.nonsense)
            request.goal = .status([413])
        case 5:
            request = ask(.health)
            request.fields += [("Connection", "Upgrade"), ("Upgrade", "websocket")]
            (request.body, request.framing) = (nil, .plain)
            return .endless(request, .plain)
        case 6: return .garbageThenMore
        default: request = ask(.tooManyBytes)
        }
        if case .status([401]) = request.goal, random.chance(1, of: 2) { request.method = "POST" }
        let isChunked = random.chance(1, of: 2)
        // Only the head is sent from here.
        request.body = nil
        request.fields.append(
            isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(Self.endlessBytes)"))
        if random.chance(1, of: 4) { request.fields.append(("Expect", "100-continue")) }
        return .endless(request, isChunked ? .chunks : .plain)
    }

    mutating func garbage(_ random: inout SeededRandom) -> [UInt8] {
        Array(Ask.malformedRequests[Int.random(in: 0..<Ask.malformedRequests.count, using: &random)].utf8)
    }

    mutating func stream(_ random: inout SeededRandom) throws -> Request {
        var request = ask(.stream(milliseconds: 0))
        let token = try mortal(Int.random(in: 1...4, using: &random))
        request.fields = [("Authorization", "Bearer \(token)")]
        request.isOldVersion = random.chance(1, of: 4)
        return request
    }
}

extension ConnectionScript.Act {
    /// A head that never ends.
    fileprivate static var garbageThenMore: Self {
        var request = Request("none", "GET", "", .malformed)
        request.raw = Array("GET /healthcheck HTTP/1.1\r\nHost: x\r\n".utf8)
        return .endless(request, .fields)
    }
}
