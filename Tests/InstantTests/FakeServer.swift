import Foundation
import Glibc
import Synchronization
import TestThreads

/// A loopback server that answers each request with exact bytes, on one connection per request.
final class FakeServer: Sendable {
    struct Request: Sendable {
        var method = ""
        /// Without the query.
        var path = ""
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Closes the connection after this many bytes of the body.
        var cutAfter: Int?
        /// After that, keeps the connection open until ``FakeServer/release()``.
        var holds = false

        static func json(_ bytes: [UInt8], status: Int = 200) -> Answer {
            Answer(status: status, headers: ["content-type": "application/json"], body: bytes)
        }

        static func error(_ status: Int, _ reason: String, _ text: String = "words") -> Answer {
            json(Array(#"{"error":{"reason":"\#(reason)","description":"\#(text)"}}"#.utf8), status: status)
        }
    }

    let port: UInt16
    private let socket: Int32
    private let seen = Mutex<[Request]>([])
    private let gate = NSCondition()
    private let isReleased = Mutex(false)
    private let watched = Watchdog.shared.began("a fake server")

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        (socket, port) = try TakenPort.bound()
        let socket = socket
        guard listen(socket, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else {
                    // Closed by the thread that waits on it, because another server may reuse the descriptor number at
                    // once.
                    close(socket)
                    return
                }
                Thread.detachNewThread { [weak self] in
                    defer { close(connection) }
                    guard let request = Self.read(connection) else { return }
                    self?.seen.withLock { $0.append(request) }
                    let answer = answer(request)
                    Self.write(answer, to: connection)
                    if answer.holds { self?.waitForRelease() }
                }
            }
        }
    }

    /// Callers must retain the server for as long as it is to answer.
    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        Watchdog.shared.ended(watched)
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }
    var requests: [Request] { seen.withLock { $0 } }

    /// Releases every held connection.
    func release() {
        gate.lock()
        isReleased.withLock { $0 = true }
        gate.broadcast()
        gate.unlock()
    }

    private func waitForRelease() {
        gate.lock()
        while !isReleased.withLock({ $0 }) { gate.wait() }
        gate.unlock()
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let first = lines[0].split(separator: " ")
                var request = Request(method: String(first[0]), path: String(first[1].prefix { $0 != "?" }))
                for line in lines.dropFirst() {
                    let pair = line.split(separator: ":", maxSplits: 1)
                    request.headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
                }
                let head = text[..<end.upperBound].utf8.count
                let length = Int(request.headers["content-length"] ?? "0") ?? 0
                if bytes.count >= head + length {
                    request.body = Array(bytes[head..<(head + length)])
                    return request
                }
            }
            let count = Glibc.read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ answer: Answer, to connection: Int32) {
        var head = "HTTP/1.1 \(answer.status) Whatever\r\nconnection: close\r\n"
        for (name, value) in answer.headers { head += "\(name): \(value)\r\n" }
        if answer.headers["content-length"] == nil { head += "content-length: \(answer.body.count)\r\n" }
        var bytes = Array((head + "\r\n").utf8) + answer.body.prefix(answer.cutAfter ?? answer.body.count)
        while !bytes.isEmpty {
            let count = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}
