import Annotations
import AsyncHTTPClient
import DocumentEngine
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import SyncProtocol

/// The engine of this machine, as other processes of the same person reach it.
struct PersonalEngine: Hashable, Sendable {
    let place: EnginePlace

    private static let startTime = Duration.seconds(10)
    /// How long an engine that this process has started may take: a loaded machine is slow.
    private static let ownStartTime = Duration.seconds(30)
    /// How often an engine that failed is started again.
    private static let retries = 1
    /// How long an engine of another namespace may take to end.
    private static let patienceElsewhere = Duration.seconds(2)

    /// An engine that has ended is reported at once, so that another one is started.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Another account's process is found out before anything is sent to it.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            OwnerGate.peer(of: channel).flatMapThrowing { peer in
                guard peer.uid == geteuid() else { throw ChannelError.connectTimeout(.zero) }
            }
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Whether an engine listens. Blocks briefly.
    static func isRunning(_ folder: EngineFolder) -> Bool {
        if case .engine? = try? EngineSearch(folder: folder).look() { true } else { false }
    }

    /// Finds the engine, or starts it. An idle engine of an older program is replaced.
    ///
    /// - Parameter reading: the folder for one command that only reads, which is ``ReadingFolder/engine``'s.
    /// - Throws: ``CommandFailure`` if it does not start or cannot be reached; ``EngineFolder/Unwritable`` if there is none,
    ///   and none can start.
    static func use(_ folder: EngineFolder, reading: ReadingFolder? = nil) async throws -> PersonalEngine {
        let (search, start, here) = (EngineSearch(folder: folder), ContinuousClock.now, EngineRecord.Here.now)
        let end = start + startTime
        var (child, failures): (EngineChild?, Int) = (nil, 0)
        var earlier = EarlierWait()
        while true {
            let finding = try search.look()
            switch finding {
            case .engine(let place, let record):
                let engine = PersonalEngine(place: place)
                // Another one listens at the same path of another namespace.
                guard let found = try await engine.version(), record.instance.isExactly(found.instance)
                else { break }
                if try await engine.mayStay(found) { return engine }
            case .held(let record):
                if let record, record.isElsewhere(here), ContinuousClock.now > start + patienceElsewhere {
                    throw EngineSearch.unreachable(record, folder)
                }
            case .none where child?.isRunning != true:
                // A child that has ended found another engine, which was about to end, or it failed.
                if let child {
                    if child.hasFailed { failures += 1 }
                    if failures > retries || ContinuousClock.now > end - startTime / 2 { throw child.failure }
                }
                child = nil
                try folder.make()
                if try await !earlier.isOver(folder) { break }
                child = try EngineChild(folder, reading: reading)
            case .none: break
            }
            let isStarting = child?.isRunning == true && ContinuousClock.now < start + ownStartTime
            guard ContinuousClock.now < end || isStarting else {
                switch finding {
                case .none: throw earlier.engine?.refusal ?? child?.failure ?? notStarted(folder)
                case .held(let record): throw EngineSearch.unreachable(record, folder)
                case .engine(_, let record): throw EngineSearch.unreachable(record, folder)
                }
            }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// An engine of an earlier version that has the data folder. It is asked to end if it is idle.
    private struct EarlierWait {
        /// As it was last seen; nil: there is none.
        private(set) var engine: EarlierEngine?
        private var since: ContinuousClock.Instant?
        private var isAsked = false
        /// An engine that is being killed loses its locks one after the other.
        private static let grace = Duration.seconds(1)

        /// - Throws: ``CommandFailure`` if it has files open, or cannot be asked.
        mutating func isOver(_ folder: EngineFolder) async throws -> Bool {
            engine = EarlierEngine.find(folder)
            guard let engine else { return true }
            guard !isAsked else { return false }
            let since = since ?? .now
            self.since = since
            if let socket = engine.socket, try await PersonalEngine.retire(socket) {
                isAsked = true
            } else if ContinuousClock.now > since + Self.grace {
                throw engine.refusal
            }
            return false
        }
    }

    /// Asks an engine of an earlier version to end if no process has a file open.
    private static func retire(_ socket: String) async throws -> Bool {
        let engine = PersonalEngine(place: EnginePlace(runtime: String(socket.dropLast("/engine.sock".count))))
        guard OwnFolder.isPrivate(engine.place.runtime), let listener = UnixSocket.listener(at: socket),
            listener.user == geteuid(), let found = try? await engine.version(closing: true), found.isIdle
        else { return false }
        return await engine.retires()
    }

    private func retires() async -> Bool {
        let answer: RetirementAnswer? = try? await ask("retire", Nothing(), closing: true)
        return answer?.isRetired == true
    }

    /// - Returns: nil if the engine is ending.
    /// - Throws: ``CommandFailure`` if it listens, but does not answer.
    private func version(closing: Bool = false) async throws -> EngineVersion? {
        let time = closing ? Self.patienceElsewhere : Self.startTime
        do { return try await version(within: time, closing: closing) } catch let failure as CommandFailure {
            guard failure.status == .stale else { return nil }
            throw CommandFailure(
                "the engine for PDFs on this machine does not answer; end it, and try again", .unreachable)
        }
    }

    func version(within time: Duration, closing: Bool = false) async throws -> EngineVersion {
        try await message(try await bytes(.GET, "version", within: time, closing: closing))
    }

    private static func notStarted(_ folder: EngineFolder) -> CommandFailure {
        CommandFailure("the engine for PDFs on this machine did not start; see \(folder.log)")
    }

    /// Whether a running engine can be used by this program.
    private func mayStay(_ found: EngineVersion) async throws -> Bool {
        // A shell with a low `ulimit -f` may have started it.
        if found.isIdle, EngineProcessState.isCramped({ found.limits[$0] }) {
            _ = await retires()
            return false
        }
        let isSpoken = found.files == FileProtocol.current
        if found.version == Postilla.configuration.version, isSpoken { return true }
        if found.isIdle, !found.version.isNewer(than: Postilla.configuration.version) {
            _ = await retires()
            return false
        }
        guard isSpoken else {
            throw CommandFailure(
                "another version of postilla (\(found.version)) has PDFs open; close them first, or use that version")
        }
        return true
    }

    // MARK: Requests

    /// The body of a request that says nothing.
    private struct Nothing: WireMessage {
        func write(to json: inout JSONWriter) { json.object { _ in } }
        init() {}
        init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
    }

    /// Sends a request about a file.
    ///
    /// - Parameter closing: ends the connection with the answer. An engine does not end while one is open.
    /// - Throws: ``EngineRefusal`` with the engine's reason; ``CommandFailure`` if the engine cannot be reached.
    func ask<Answer: WireMessage>(
        _ path: String, _ message: some WireMessage, closing: Bool = false
    ) async throws -> Answer {
        try await self.message(try await bytes(.POST, path, message.bytes, closing: closing))
    }

    private func message<Message: WireMessage>(_ bytes: [UInt8]) async throws -> Message {
        do { return try Message(bytes: bytes) } catch {
            throw CommandFailure("the engine's answer cannot be read: \(error)")
        }
    }

    private func request(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, closing: Bool
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(place.server)/engine/v1/\(path)")
        request.method = method
        request.headers.add(name: "host", value: "localhost")
        if closing { request.headers.add(name: "connection", value: "close") }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return request
    }

    /// - Parameter time: reading and writing a large file takes long.
    private func bytes(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]? = nil, within time: Duration = .seconds(600),
        closing: Bool = false
    ) async throws -> [UInt8] {
        let status: UInt
        let bytes: [UInt8]
        do {
            (status, bytes) = try await Self.answer(to: request(method, path, body, closing: closing), within: time)
        } catch { throw Self.failure(error) }
        guard status == 200 else { throw EngineRefusal(status: status, bytes) }
        return bytes
    }

    /// Why an engine cannot be asked.
    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as HTTPClientError where error == .deadlineExceeded || error == .getConnectionFromPoolTimeout:
            CommandFailure("the engine for PDFs on this machine does not answer", .stale)
        default: CommandFailure("the engine for PDFs on this machine cannot be reached; try again", .unreachable)
        }
    }

    /// Reads what the engine says of a file, now and whenever it changes, until the engine ends.
    ///
    /// - Throws: ``EngineRefusal``, ``CommandFailure``, `CancellationError`
    func follow(_ document: String, _ heard: (FileReport) -> Void) async throws {
        let request = request(.POST, "events", FileQuestion(document: document).bytes, closing: false)
        do {
            let response = try await Self.http.execute(request, deadline: .distantFuture)
            guard response.status == .ok else {
                let body = try await response.body.collect(upTo: 64 << 10)
                throw EngineRefusal(status: response.status.code, Array(body.readableBytesView))
            }
            var line: [UInt8] = []
            for try await part in response.body {
                let pieces = part.readableBytesView.split(
                    separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                for piece in pieces.dropLast() {
                    line += piece
                    heard(try await message(line))
                    line = []
                }
                line += pieces.last ?? []
            }
        } catch let refusal as EngineRefusal { throw refusal } catch let failure as CommandFailure {
            throw failure
        } catch {
            try Task.checkCancellation()
            throw Self.failure(error)
        }
    }
}

extension PersonalEngine {
    /// How often a file may change between the look at it here and the engine's. Then the time does not count any more.
    private static let maxLooks = 10

    /// Sends a request about the file at a path, which is only the file that this process sees there.
    ///
    /// - Parameters:
    ///   - target: of a copy; likewise.
    ///   - message: the request, with what is seen at the two paths.
    func ask<Answer: WireMessage>(
        _ what: String, as path: String, target: String? = nil,
        _ message: (Sighting, SeenTarget?) -> some WireMessage
    ) async throws -> Answer {
        func look() -> (source: Sighting, target: SeenTarget?) {
            (Sighting(of: path), target.flatMap { try? FilePlace(of: $0).sighting })
        }
        for _ in 1..<Self.maxLooks {
            let seen = look()
            do { return try await ask(what, message(seen.source, seen.target)) } catch let refusal as EngineRefusal {
                // Another program may have changed them meanwhile.
                guard refusal.problem == .otherFile else { throw refusal }
                let now = look()
                guard now.source != seen.source || now.target != seen.target else { throw refusal }
            }
        }
        var seen = look()
        if case .file(var file) = seen.source {
            file.changed = nil
            seen.source = .file(file)
        }
        return try await ask(what, message(seen.source, seen.target))
    }

    /// One deadline for head and body: whoever listens, a byte now and then is no answer.
    private static func answer(
        to request: HTTPClientRequest, within time: Duration
    ) async throws -> (status: UInt, bytes: [UInt8]) {
        try await withThrowingTaskGroup(of: (UInt, [UInt8]).self) { group in
            group.addTask {
                let response = try await http.execute(request, timeout: TimeAmount(time))
                let body = try await response.body.collect(upTo: 64 << 20)
                return (response.status.code, Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: time)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

/// Why the engine does not do what it was asked.
struct EngineRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// nil: it is not about the file.
    var problem: FileProblem?
    /// What is wrong, as part of a sentence; nil: ``message`` says it.
    var reason: String?
    /// The same, with what became of the changes that were to be written and what can be done.
    var message: String

    var description: String { message }

    init(status: UInt, _ bytes: [UInt8]) {
        if let failure = try? FileFailure(bytes: bytes) {
            (problem, reason, message) = (failure.problem, failure.reason, failure.message)
        } else {
            message = (try? ErrorAnswer(bytes: bytes))?.description ?? "the engine refused (\(status))"
        }
    }
}

extension String {
    /// Whether a version such as 0.10.1 is newer than another.
    fileprivate func isNewer(than other: String) -> Bool {
        let (one, two) = (numbers, other.numbers)
        for index in 0..<max(one.count, two.count) {
            let (a, b) = (one.indices.contains(index) ? one[index] : 0, two.indices.contains(index) ? two[index] : 0)
            if a != b { return a > b }
        }
        return false
    }

    private var numbers: [Int] { split(scalar: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 } }
}
