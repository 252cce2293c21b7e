import Annotations
import Foundation
import Glibc
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// Opens clients, lets them do anything, and closes or releases them in whatever state they are.
///
/// `LIFE_CYCLES=10000 LIFE_SEED=1 swift test --skip-build --filter OpenAndRelease` runs more of them, and a plan again.
@Suite(.serialized, .timeLimit(.minutes(240))) struct OpenAndReleaseTests {
    private static let cycles = ProcessInfo.processInfo.environment["LIFE_CYCLES"].flatMap(Int.init) ?? 200
    private static let seed =
        ProcessInfo.processInfo.environment["LIFE_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

    /// The servers that a client may meet: a good one, none, and one that accepts connections and says nothing.
    private final class Servers {
        let good: FakeServer
        let none: TakenPort
        let silent: TakenPort

        init() throws {
            good = try plainServer(FakePDF(count: 20_000))
            none = try TakenPort()
            silent = try TakenPort()
            try silent.listen()
        }

        func url(_ kind: Int) -> URL {
            switch kind {
            case 0, 1: good.url
            case 2: URL(string: "http://127.0.0.1:\(none.number)")!
            default: URL(string: "http://127.0.0.1:\(silent.number)")!
            }
        }
    }

    /// What must be gone after a cycle.
    private struct Traces {
        weak var client: InstantClient?
        weak var descriptor: InstantDocumentDescriptor?
        weak var performer: LayerPerformer?

        var areGone: Bool { client == nil && descriptor == nil && performer == nil }
    }

    @Test func nothingStaysOpenBehindAClient() async throws {
        let servers = try Servers()
        var folder = try TemporaryFolder()
        var random = SeededRandom(seed: Self.seed)
        for cycle in 0..<Self.cycles {
            if random.chance(1, of: 3) { folder = try TemporaryFolder() }
            do { try await run(servers, folder, &random) } catch {
                Issue.record("cycle \(cycle) of seed \(Self.seed): \(error)")
                return
            }
        }
    }

    private func run(_ servers: Servers, _ folder: TemporaryFolder, _ random: inout SeededRandom) async throws {
        let url = servers.url(random.pick(0..<4))
        var traces: [Traces] = []
        var calls: [Task<Void, any Error>] = []
        var lock = ""
        var clients: [InstantClient?] = []
        var descriptors: [InstantDocumentDescriptor] = []
        for _ in 0..<random.pick(1...2) {
            let client = try InstantClient(serverURL: url, dataDirectory: folder.url)
            let descriptor = try client.documentDescriptor(forJWT: token())
            lock = Folders.lock(in: descriptor.folders.layer(descriptor.identity))
            if random.chance(1, of: 4) { client.tokenProvider = { _ in token() } }
            traces.append(
                Traces(client: client, descriptor: descriptor, performer: try? descriptor.performer()))
            clients.append(client)
            descriptors.append(descriptor)
        }
        for _ in 0..<random.pick(0...6) {
            act(on: random.pick(descriptors), &calls, &random)
            for _ in 0..<random.pick(0...200) { await Task.yield() }
        }
        if random.chance(1, of: 4) { for call in calls { call.cancel() } }
        for index in clients.indices.shuffled(using: &random) {
            if random.chance(1, of: 2) {
                await clients[index]?.close()
                if clients.count == 1 {
                    guard openFiles(below: folder.path).isEmpty else {
                        throw Leak("open after close: \(openFiles(below: folder.path))")
                    }
                }
            }
            clients[index] = nil
        }
        // Every call ends, and the descriptors stay closed.
        try await limited("all calls end") { for call in calls { _ = await call.result } }
        calls = []
        for descriptor in descriptors {
            try await waitUntil("the client is gone") { descriptor.end != nil }
            do throws(InstantError) {
                _ = try descriptor.unsentEdits()
                throw InstantError(.invalidRequest, "the descriptor is open")
            } catch { guard error.kind == .invalidDocument else { throw error } }
        }
        descriptors = []
        // A step that was about to take the lock when its client was released holds it for a moment.
        try await waitUntil("the lock is free", seconds: 60) { !FileLock.isHeld(lock) }
        try await waitUntil("everything is released", seconds: 60) {
            traces.allSatisfy(\.areGone) && openFiles(below: folder.path).isEmpty
        }
        if url == servers.good.url, random.chance(1, of: 4) { try await opensAgain(url, folder) }
        try await waitUntil("every connection is closed", seconds: 60) {
            try connections(to: [Int(servers.good.port), Int(servers.silent.number)]) == 0
        }
    }

    private func act(
        on descriptor: InstantDocumentDescriptor, _ calls: inout [Task<Void, any Error>], _ random: inout SeededRandom
    ) {
        switch random.pick(0..<14) {
        case 0: descriptor.startListeningForServerChanges()
        case 1: descriptor.stopListeningForServerChanges()
        case 2: descriptor.reauthenticate(withJWT: token())
        case 3: try? descriptor.download(usingJWT: token())
        case 4: calls.append(Task { try await descriptor.downloadAndWait(usingJWT: token()) })
        case 5: calls.append(Task { try await descriptor.reauthenticateAndWait(withJWT: token()) })
        case 6: calls.append(Task { try await descriptor.syncAndWait() })
        case 7: descriptor.sync()
        case 8: descriptor.stopSyncing()
        case 9: _ = try? descriptor.editableDocument.add(note("x"), author: "Ana")
        case 10: _ = try? descriptor.editableDocument.addAttachment(Data("picture".utf8))
        case 11: descriptor.setOnline(random.chance(1, of: 2))
        case 12: try? descriptor.removeLocalStorage(discardingUnsent: true)
        default: _ = (descriptor.status, descriptor.isDownloaded, descriptor.documentState, descriptor.presence)
        }
    }

    /// A new client works at once.
    private func opensAgain(_ url: URL, _ folder: TemporaryFolder) async throws {
        let client = try InstantClient(serverURL: url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.downloadAndWait(usingJWT: token())
        guard descriptor.status.connection == .live else { throw Leak("\(descriptor.status.connection)") }
        await client.close()
    }

    private struct Leak: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    /// The number of open connections to local ports, as seen by the clients.
    private func connections(to ports: [Int]) throws -> Int {
        let ends = Set(ports.map { ":" + String(format: "%04X", $0) })
        return try String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8).split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            // Established, and owned by a process.
            return fields.count > 9 && fields[3] == "01" && fields[9] != "0"
                && ends.contains(String(fields[2].suffix(5)))
        }
    }
}
