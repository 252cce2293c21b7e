import Annotations
import AsyncHTTPClient
import DocumentEngine
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import SyncProtocol
import Synchronization

/// The engine of this machine, as other processes of the same person reach it.
struct PersonalEngine: Hashable, Sendable {
    let place: EnginePlace

    private static let startTime = Duration.seconds(10)
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
    /// - Parameters:
    ///   - dataDirectory: the option of the command, which a new engine gets too.
    ///   - reading: the folder for one command that only reads, which is ``ReadingFolder/engine``'s.
    /// - Throws: ``CommandFailure`` if it does not start or cannot be reached; ``EngineFolder/Unwritable`` if there is none,
    ///   and none can start.
    static func use(
        _ folder: EngineFolder, dataDirectory: String?, reading: ReadingFolder? = nil
    ) async throws -> PersonalEngine {
        let (search, start, here) = (EngineSearch(folder: folder), ContinuousClock.now, EngineRecord.Here.now)
        let end = start + startTime
        var (child, failures): (EngineProcess?, Int) = (nil, 0)
        let log = EngineLog(folder.log)
        var earlier = EarlierWait()
        while true {
            let finding = try search.look()
            switch finding {
            case .engine(let place, let record):
                let engine = PersonalEngine(place: place)
                // Another one listens at the same path of another namespace.
                guard let found = try await engine.version(), record.instance.isExactly(found["instance"]?.string ?? "")
                else { break }
                if try await engine.mayStay(found) { return engine }
            case .held(let record):
                if let record, record.isElsewhere(here), ContinuousClock.now > start + patienceElsewhere {
                    throw EngineSearch.unreachable(record, folder)
                }
            case .none where child?.isRunning != true:
                // A child that has ended found another engine, which was about to end, or it failed.
                if child?.hasFailed == true { failures += 1 }
                if failures > retries || child != nil && ContinuousClock.now > end - startTime / 2 {
                    throw notStarted(log)
                }
                try folder.make()
                if try await !earlier.isOver(folder) { break }
                child = try EngineProcess(folder, dataDirectory: dataDirectory, reading: reading)
            case .none: break
            }
            guard ContinuousClock.now < end else {
                switch finding {
                case .none: throw earlier.engine?.refusal ?? notStarted(log)
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
            listener.user == geteuid(), let found = try? await engine.version(closing: true),
            found["idle"]?.bool == true
        else { return false }
        return (try? await engine.ask(.POST, "retire", JSONObject(), closing: true))?["retired"]?.bool == true
    }

    /// - Returns: nil if the engine is ending.
    /// - Throws: ``CommandFailure`` if it listens, but does not answer.
    private func version(closing: Bool = false) async throws -> JSON? {
        let time = closing ? Self.patienceElsewhere : Self.startTime
        do { return try await ask(.GET, "version", within: time, closing: closing) } catch let failure as CommandFailure
        {
            guard failure.status == .stale else { return nil }
            throw CommandFailure(
                "the engine for PDFs on this machine does not answer; end it, and try again", .unreachable)
        }
    }

    private static func notStarted(_ log: EngineLog) -> CommandFailure {
        let reason = log.lastLine.map { ": \($0)" } ?? ""
        return CommandFailure("the engine for PDFs on this machine did not start\(reason); see \(log.path)")
    }

    /// Whether a running engine can be used by this program.
    private func mayStay(_ found: JSON) async throws -> Bool {
        let version = found["version"]?.string ?? ""
        if version == Postilla.configuration.version { return true }
        let isSpoken = found["protocol"]?.integer == Int64(ProtocolVersion.current)
        if found["idle"]?.bool == true, !version.isNewer(than: Postilla.configuration.version) {
            _ = try? await ask(.POST, "retire", JSONObject(), closing: true)
            return false
        }
        guard isSpoken else {
            throw CommandFailure(
                "another version of postilla (\(version)) has PDFs open; close them first, or use that version")
        }
        return true
    }

    // MARK: Requests

    /// Sends a request about a file.
    ///
    /// - Parameters:
    ///   - time: reading and writing a large file takes long.
    ///   - closing: ends the connection with the answer. An engine does not end while one is open.
    /// - Throws: ``EngineRefusal`` with the engine's reason; ``CommandFailure`` if the engine cannot be reached.
    func ask(
        _ method: HTTPMethod, _ path: String, _ body: JSONObject? = nil, within time: Duration = .seconds(600),
        closing: Bool = false
    ) async throws -> JSON {
        var request = HTTPClientRequest(url: "\(place.server)/engine/v1/\(path)")
        request.method = method
        request.headers.add(name: "host", value: "localhost")
        if closing { request.headers.add(name: "connection", value: "close") }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: JSON.object(body).text))
        }
        let status: UInt
        let bytes: [UInt8]
        do {
            let response = try await Self.http.execute(request, timeout: TimeAmount(time))
            status = response.status.code
            bytes = Array(try await response.body.collect(upTo: 64 << 20).readableBytesView)
        } catch is CancellationError { throw CancellationError() } catch let error as HTTPClientError
            where error == .deadlineExceeded
        {
            throw CommandFailure("the engine for PDFs on this machine does not answer", .stale)
        } catch {
            throw CommandFailure("the engine for PDFs on this machine cannot be reached; try again", .unreachable)
        }
        let json = (try? JSONReader.parse(bytes)) ?? .null
        if status == 200 { return json }
        throw EngineRefusal(
            problem: json["problem"]?.string ?? json["reason"]?.string ?? "failed",
            reason: json["reason"]?.string,
            message: json["message"]?.string ?? json["error"]?.string ?? "the engine refused (\(status))")
    }
}

/// Why the engine does not do what it was asked.
struct EngineRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// A word for programs.
    var problem: String
    /// What is wrong, as part of a sentence; nil: ``message`` says it.
    var reason: String?
    /// The same, with what became of the changes that were to be written and what can be done.
    var message: String

    var description: String { message }
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

/// The engine as a child that outlives this process: in a session of its own, and without this terminal.
private final class EngineProcess: Sendable {
    private let pid: pid_t
    private let failed = Atomic(false)

    init(_ folder: EngineFolder, dataDirectory: String?, reading: ReadingFolder?) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder.log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // POSIX_SPAWN_SETSID is a GNU extension that Swift does not import.
        posix_spawnattr_setflags(&attributes, Int16(0x80) | Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ["postilla", "engine"] + (dataDirectory.map { ["--data-dir", $0] } ?? [])
        if let reading { words += ["--reading", reading.path, "--idle", "1"] }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, DemoServer.executable, &actions, &attributes, &arguments, environ)
        guard code == 0 else {
            throw CommandFailure("cannot start the engine for PDFs on this machine: \(String(cString: strerror(code)))")
        }
        self.pid = pid
    }

    /// Whether the child runs; also takes its exit status.
    var isRunning: Bool {
        var status: CInt = 0
        let ended = waitpid(pid, &status, WNOHANG)
        if ended == pid, status != 0 { failed.store(true, ordering: .relaxed) }
        return ended == 0
    }

    /// Whether it has ended with an error, as far as ``isRunning`` has noticed.
    var hasFailed: Bool { failed.load(ordering: .relaxed) }
}

/// What engines write into their log from now on.
private struct EngineLog {
    let path: String
    private let start: Int64

    init(_ path: String) {
        self.path = path
        var status = stat()
        start = stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The last line, without the name of the program; nil: none.
    var lastLine: String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        guard fstat(file, &status) == 0 else { return nil }
        let count = pread(file, &bytes, bytes.count, max(off_t(start), status.st_size - off_t(bytes.count)))
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        guard let line = text.split(scalar: "\n").last else { return nil }
        return String(line.dropping(prefix: "postilla: ") ?? line).onOneLine
    }
}
