package import EngineSupport
import Foundation

/// A request that is refused, whose client nevertheless sends its 10 GB as fast as it can.
package enum RefusedUpload: String, CaseIterable, Sendable {
    case wrongSecret, notFound, badToken, tooLarge, openAddress

    package enum Framing: String, CaseIterable, Sendable {
        case length, chunks, lengthOnRequest, chunksOnRequest
    }

    package struct Outcome: Sendable {
        package var upload: RefusedUpload
        package var framing: Framing
        package var status = 0
        /// Whether the response said that the connection ends.
        package var closes = false
        /// Bytes that the client's system took: the server's and its own buffers hold most of them.
        package var sent = 0
    }

    /// All of them. The size of a chunked body is known only once it is read.
    package static let all: [(RefusedUpload, Framing)] = allCases.flatMap { upload in
        Framing.allCases.filter { upload != .tooLarge || $0 == .length || $0 == .lengthOnRequest }.map { (upload, $0) }
    }

    /// The status of the response.
    package var status: Int {
        switch self {
        case .wrongSecret, .badToken: 401
        case .notFound: 404
        case .tooLarge: 413
        case .openAddress: 200
        }
    }

    /// Sends all at the same time, until the server closes each connection.
    ///
    /// - Returns: the outcomes, and the bytes that the server read meanwhile, from anything.
    package static func run(
        _ uploads: [(RefusedUpload, Framing)] = all, against server: ServerProcess
    ) throws -> (outcomes: [Outcome], read: Int) {
        let before = try bytesRead(by: server)
        let runs = try uploads.map { try Run($0, $1, server) }
        let end = ContinuousClock.now + .seconds(120)
        while let one = runs.first(where: { !$0.isOver }) {
            guard ContinuousClock.now < end else {
                throw Failure("after two minutes the connection still exists: \(one.outcome)")
            }
            let active = runs.filter { !$0.isOver }
            var wanted = active.map(\.interest)
            poll(&wanted, nfds_t(wanted.count), 100)
            for (run, one) in zip(active, wanted) { try run.turn(Int32(one.revents)) }
        }
        return (runs.map(\.outcome), try bytesRead(by: server) - before)
    }

    private final class Run {
        private(set) var outcome: Outcome
        private(set) var isOver = false
        private let socket: RawSocket
        private let filler: [UInt8]
        private var out: ArraySlice<UInt8>
        private var reader = AnswerReader()

        init(_ upload: RefusedUpload, _ framing: Framing, _ server: ServerProcess) throws {
            outcome = Outcome(upload: upload, framing: framing)
            guard let socket = RawSocket(port: server.port) else { throw Failure("the server does not listen") }
            self.socket = socket
            let isChunked = framing == .chunks || framing == .chunksOnRequest
            filler = (isChunked ? ConnectionScript.Filler.chunks : .plain).bytes
            out = Array(upload.head(framing, server).utf8)[...]
        }

        var interest: pollfd {
            let events = outcome.status == 0 ? POLLIN | POLLOUT : POLLOUT
            return pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
        }

        func turn(_ ready: Int32) throws {
            if ready & Int32(POLLIN) != 0, case .bytes(let bytes) = socket.receive() {
                reader.take(bytes)
                if let answer = try reader.next(isHead: false), !answer.isInterim {
                    (outcome.status, outcome.closes) = (answer.status, answer.closes)
                }
            }
            guard ready & Int32(POLLOUT | POLLERR | POLLHUP) != 0 else { return }
            if out.isEmpty { out = filler[...] }
            guard let count = socket.send(out) else {
                guard outcome.status != 0 else { throw Failure("reset before the response: \(outcome)") }
                isOver = true
                return
            }
            outcome.sent += count
            out = out.dropFirst(count)
        }
    }

    private func head(_ framing: Framing, _ server: ServerProcess) -> String {
        let (line, field) =
            switch self {
            case .wrongSecret: ("POST /api/documents", "Authorization: Token token=\"wrong\"\r\n")
            case .notFound: ("POST /nothing", "")
            case .badToken: ("POST /instant/v1/changes", "Authorization: Bearer none\r\n")
            case .tooLarge:
                (
                    "POST /api/documents",
                    "Authorization: Token token=\"\(server.secret)\"\r\nContent-Type: application/pdf\r\n"
                )
            case .openAddress: ("GET /healthcheck", "")
            }
        let length =
            switch framing {
            case .length: "Content-Length: \(ScriptRequests.endlessBytes)\r\n"
            case .lengthOnRequest: "Content-Length: \(ScriptRequests.endlessBytes)\r\nExpect: 100-continue\r\n"
            case .chunks: "Transfer-Encoding: chunked\r\n"
            case .chunksOnRequest: "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"
            }
        return "\(line) HTTP/1.1\r\nHost: x\r\n\(field)\(length)\r\n"
    }

    /// All bytes that the process has read, from sockets, files and pipes (proc_pid_io(5)).
    private static func bytesRead(by server: ServerProcess) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(server.processID)/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
        guard let count = line.flatMap({ Int($0.dropFirst(7)) }) else {
            throw Failure("what the server reads is not known")
        }
        return count
    }
}
