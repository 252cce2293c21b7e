import Children
import Foundation
import Glibc
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// Whoever listens where the engine should, and whatever holds its lock.
@Suite struct EngineAnswerTests {
    /// One byte after the other, for good: of the head, or of a body that has no end. The time may also pass before there is
    /// a connection.
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"], [300, 0])
    func anAnswerThatTricklesIsGivenUp(_ start: String, milliseconds: Int) async throws {
        let folder = try Folder()
        let listener = try Trickle(folder.path + "/engine.sock", start)
        defer { listener.close() }
        let engine = PersonalEngine(place: EnginePlace(runtime: folder.path))
        let said = try await limited("the answer is given up") { () -> String in
            do {
                _ = try await engine.version(within: .milliseconds(milliseconds))
                return "answered"
            } catch let failure as CommandFailure {
                return failure.message
            }
        }
        #expect(said == "the engine for PDFs on this machine does not answer")
    }

    @Test func whoeverHoldsTheLockIsNamed() async throws {
        let folder = try Folder()
        let path = try folder.write("lock", "")
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["-F", path, "tail", "-f", "/dev/null"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.kill() }
        try await waitUntil("the lock is held", seconds: 1_200) { OwnProcesses.holder(of: path)?.name == "tail" }
        #expect(OwnProcesses.holder(of: path)?.pid == process.processIdentifier)
        let other = try folder.write("other", "")
        #expect(OwnProcesses.holder(of: other) == nil)
        // As the engine's folder has it.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/engine", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let place = EngineFolder(dataFolder: folder.path, stateFolder: folder.path)
        #expect(EngineSearch.unreachable(nil, place).message.hasPrefix("another process has this folder"))
        #expect(link(path, place.lock) == 0)
        let message = EngineSearch.unreachable(nil, place).message
        #expect(message.hasPrefix("process \(process.processIdentifier) (tail) holds the lock"), "\(message)")
    }
}

/// Listens on a Unix socket, and answers the first bytes of a request with a byte now and then, for as long as somebody
/// reads.
private final class Trickle: Sendable {
    private let descriptor: CInt
    private let isClosed = Mutex(false)

    init(_ path: String, _ start: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 8) == 0 else { throw StoryError("cannot listen at \(path)") }
        Thread.detachNewThread { [self] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                // A client may drop what arrives before its request.
                var request = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &request, request.count, 0)
                var text = Array(start.utf8)
                let more = start.isEmpty ? Array("HTTP/1.1 200 OK\r\nX-Long: ".utf8) : []
                text += more.prefix(5)
                var next = 5
                _ = send(connection, text, text.count, CInt(MSG_NOSIGNAL))
                while !isClosed.withLock({ $0 }) {
                    poll(nil, 0, 20)
                    let byte = [next < more.count ? more[next] : UInt8(ascii: "x")]
                    next += 1
                    if send(connection, byte, 1, CInt(MSG_NOSIGNAL)) < 1 { break }
                }
                Glibc.close(connection)
            }
            // By the thread that waits on it: another listener may get the number at once, and lose its connections.
            Glibc.close(descriptor)
        }
    }

    func close() {
        isClosed.withLock { $0 = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
