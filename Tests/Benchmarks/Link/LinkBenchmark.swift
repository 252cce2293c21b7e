import Annotations
import EngineSupport
import FaultProxy
import Foundation
import Instant
import InstantCore
import TestSupport

/// Transfers over a slow link that delays, and stands still now and then, while both sides go on working.
struct LinkBenchmark {
    enum Job {
        /// The first opening of a layer with this many notes.
        case opening(Int)
        /// This many notes written offline.
        case offline(Int)
        /// A file of this many bytes.
        case file(Int)
    }

    struct Result {
        var name = ""
        var seconds = 0.0
        /// The bytes that the same job needs on a fast link, as a share of what this link can carry in the time in which it
        /// does not stand still.
        var share = 0.0
        /// Until another person's note was here, the slowest.
        var news = Duration.zero
        /// Until a note typed here was stored, the slowest.
        var typing = Duration.zero
    }

    let backend: Backend
    let folder: URL
    /// Bytes a second.
    let rate: Int
    private static let text = String(repeating: "words on a page ", count: 250)

    private var quality: SlowLink.Quality {
        SlowLink.Quality(bytesPerSecond: rate, milliseconds: 150, stalls: true)
    }

    func run(_ job: Job, number: Int) async throws -> Result {
        let document = "link-\(rate)-\(number)"
        try backend.upload("Resources/samples/reading-machines.pdf", as: document)
        let link = try await SlowLink(to: backend.server.port, seed: UInt64(rate + number))
        switch job {
        case .opening(let count):
            let filler = try await person("filler", document, backend.server.address)
            for number in 0..<count { _ = try filler.descriptor.create(Self.note("\(number) \(Self.text)")) }
            try await sent(filler)
            let needed = try await timed(link) { _ = try await person("fast", document, link.url) }.tally.down
            try await link.become(quality)
            let run = try await timed(link) { _ = try await person("ana", document, link.url) }
            return result("first opening of \(count) notes", needed, run.time, run.tally.stalled)
        case .offline(let count):
            let needed = try await timed(link) {
                // Released at the end, because its stream would share the link.
                try await write(count, try await person("fast", document, link.url))
            }.tally.up
            let ana = try await person("ana", document, link.url)
            try await link.become(quality)
            return try await measured("\(count) notes written offline", needed, ana, document, link) {
                try await write(count, ana)
            }
        case .file(let bytes):
            let ana = try await person("ana", document, link.url)
            try await link.become(quality)
            return try await measured("a file of \(bytes / 1000) kB", bytes, ana, document, link) {
                var random = SeededRandom(seed: UInt64(bytes))
                let data = Data((0..<bytes).map { _ in UInt8.random(in: 0...255, using: &random) })
                let id = try ana.descriptor.editableDocument.addAttachment(data)
                _ = try ana.descriptor.create(
                    Self.note("a picture").changing {
                        $0["type"] = "pspdfkit/image"
                        $0["imageAttachmentId"] = .string(id.hex)
                        $0["contentType"] = "image/png"
                    })
                try await sent(ana)
            }
        }
    }

    // MARK: The people

    private func person(_ user: String, _ document: String, _ address: String) async throws -> LiveClient {
        guard let url = URL(string: address) else { throw BenchmarkError("\(address) is not an address") }
        return try await LiveClient(
            server: url, folder: folder.appendingPathComponent("\(document)-\(user)"),
            token: backend.server.mint.token(document: document, user: user), patience: 3_600)
    }

    private static func note(_ text: String) -> Content { .note(onPage: 0, at: Point(x: 72, y: 72), text: text) }

    private func write(_ count: Int, _ person: LiveClient) async throws {
        person.descriptor.setOnline(false)
        for number in 0..<count { _ = try person.descriptor.create(Self.note("\(number) \(Self.text)")) }
        person.descriptor.setOnline(true)
        try await sent(person)
    }

    private func sent(_ person: LiveClient) async throws {
        let events = person.descriptor.events
        func isDone() -> Bool { person.descriptor.status.unsent == 0 && person.descriptor.documentState == .clean }
        if isDone() { return }
        for await _ in events where isDone() { return }
        throw BenchmarkError("the client has ended")
    }

    // MARK: Measuring

    private func timed(
        _ link: SlowLink, _ body: () async throws -> Void
    ) async throws -> (time: Duration, tally: SlowLink.Tally) {
        let (start, before) = (ContinuousClock.now, link.sofar)
        try await body()
        return (.now - start, link.sofar - before)
    }

    /// Runs the job while another person, and the one at the slow link, write a note now and then.
    private func measured(
        _ name: String, _ needed: Int, _ ana: LiveClient, _ document: String, _ link: SlowLink,
        _ body: () async throws -> Void
    ) async throws -> Result {
        let bo = try await person("bo", document, backend.server.address)
        let watch = LinkWatch(ana.descriptor, bo.descriptor, pause: .seconds(rate > 5_000 ? 5 : 20))
        let watching = Task { try await watch.run() }
        let run = try await timed(link, body)
        watching.cancel()
        _ = await watching.result
        var result = result(name, needed, run.time, run.tally.stalled)
        (result.news, result.typing) = (watch.news, watch.typing)
        return result
    }

    private func result(_ name: String, _ needed: Int, _ time: Duration, _ stalled: Duration) -> Result {
        let seconds = time.milliseconds / 1000
        let moving = seconds - stalled.milliseconds / 1000
        return Result(name: name, seconds: seconds, share: Double(needed) / moving / Double(rate))
    }
}
