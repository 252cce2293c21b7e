import Annotations
import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import SyncProtocol

/// The engine of this machine, as other processes of the same person reach it.
struct PersonalEngine: Hashable, Sendable {
    let place: EnginePlace

    private static let startTime = Duration.seconds(10)

    /// An engine that has ended is reported at once, so that another one is started.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Whether an engine listens. Blocks briefly.
    static func isRunning(_ folders: Folders) -> Bool {
        guard let place = try? EnginePlace(folders) else { return false }
        return UnixSocket.isListening(place.socket)
    }

    /// Finds the engine, or starts it. An idle engine of an older program is replaced.
    ///
    /// - Throws: ``CommandFailure`` if it does not start.
    static func use(_ place: EnginePlace, dataDirectory: String?) async throws -> PersonalEngine {
        let engine = PersonalEngine(place: place)
        let end = ContinuousClock.now + startTime
        var child: EngineProcess?
        while true {
            if UnixSocket.isListening(place.socket), let found = try await engine.version() {
                if try await engine.mayStay(found) { return engine }
            } else if child?.isRunning != true {
                // A child that has ended found another engine, which was about to end, or it failed.
                if child != nil, ContinuousClock.now > end - startTime / 2 { throw notStarted(place) }
                try place.make()
                child = try EngineProcess(place, dataDirectory: dataDirectory)
            }
            guard ContinuousClock.now < end else { throw notStarted(place) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// - Returns: nil if the engine is ending.
    /// - Throws: ``CommandFailure`` if it listens, but does not answer.
    private func version() async throws -> JSON? {
        do { return try await ask(.GET, "version", within: Self.startTime) } catch let failure as CommandFailure {
            guard failure.status == .stale else { return nil }
            throw CommandFailure(
                "the engine for PDFs on this machine does not answer; end it, and try again", .unreachable)
        }
    }

    private static func notStarted(_ place: EnginePlace) -> CommandFailure {
        CommandFailure("the engine for PDFs on this machine did not start; see \(place.log)")
    }

    /// Whether a running engine can be used by this program.
    private func mayStay(_ found: JSON) async throws -> Bool {
        let version = found["version"]?.string ?? ""
        if version == Postilla.configuration.version { return true }
        let isSpoken = found["protocol"]?.integer == Int64(ProtocolVersion.current)
        if found["idle"]?.bool == true, !version.isNewer(than: Postilla.configuration.version) {
            _ = try? await ask(.POST, "retire", JSONObject())
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
    /// - Parameter time: reading and writing a large file takes long.
    /// - Throws: ``EngineRefusal`` with the engine's reason; ``CommandFailure`` if the engine cannot be reached.
    func ask(
        _ method: HTTPMethod, _ path: String, _ body: JSONObject? = nil, within time: Duration = .seconds(600)
    ) async throws -> JSON {
        var request = HTTPClientRequest(url: "\(place.server)/engine/v1/\(path)")
        request.method = method
        request.headers.add(name: "host", value: "localhost")
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

    init(_ place: EnginePlace, dataDirectory: String?) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, place.log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // POSIX_SPAWN_SETSID is a GNU extension that Swift does not import.
        posix_spawnattr_setflags(&attributes, Int16(0x80) | Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["postilla", "engine"] + (dataDirectory.map { ["--data-dir", $0] } ?? [])
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
        return waitpid(pid, &status, WNOHANG) == 0
    }
}
