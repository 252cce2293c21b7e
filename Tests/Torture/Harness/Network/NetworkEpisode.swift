import Annotations
import EngineSupport
import FaultProxy
import Foundation
import Instant
import InstantCore
import Synchronization
import TestSupport

/// Two people at bad lines and one at a good one, in a layer of their own.
final class NetworkEpisode {
    private let server: ServerProcess
    private let people: [NetworkPerson]
    private let witness: NetworkPerson
    private var random: SeededRandom
    private let steps: Int
    /// What happened.
    private(set) var summary = ""

    /// A text with this word does not pass a proxy that watches for it.
    private static let bait = "an attack"

    init(_ server: ServerProcess, folder: URL, seed: UInt64, steps: Int) async throws {
        (self.server, self.steps) = (server, steps)
        random = SeededRandom(seed: seed)
        let document = "network-\(seed)"
        var upload = Request("network", "POST", "/api/documents?document_id=\(document)", .status([200]))
        upload.fields = [
            ("Authorization", "Token token=\"\(server.secret)\""), ("Content-Type", "application/pdf"),
        ]
        upload.body = SmallPDF(annotations: []).bytes
        let answer = try upload.answer(from: server.port)
        guard answer.status == 200 else { throw Failure("\(answer.status) for the upload: \(answer.text)") }
        var people: [NetworkPerson] = []
        for name in ["ana", "ben", "cy"] {
            people.append(try await NetworkPerson(name, server, document: document, folder: folder))
        }
        witness = people.removeLast()
        self.people = people
    }

    func run() async throws {
        var counts = (edits: 0, faults: 0, aside: 0)
        for person in people {
            person.proxy.follow { _ in .forbid(Self.bait) }
            person.proxy.cut()
        }
        for step in 0..<steps {
            let person = random.pick(people)
            if random.chance(1, of: 5) {
                worsen(person)
                counts.faults += 1
            }
            try edit(person, step)
            counts.edits += 1
            await timePassed(.milliseconds(Int.random(in: 0...300, using: &random)))
        }
        counts.aside = try await arriveWhatIsNotRefused()
        try await leaveTheServerAlone()
        try await arriveAll()
        summary = "\(counts.edits) edits, \(counts.faults) changes of a line, \(counts.aside) edits put aside"
    }

    // MARK: The steps

    private func edit(_ person: NetworkPerson, _ step: Int) throws {
        let word = random.chance(1, of: 8) ? Self.bait : "a note"
        let text = "\(word) \(step) of \(person.name)"
        let own = person.own
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: try person.add(text)
        case 5:
            let count = Int.random(in: 1...600_000, using: &random)
            var bytes = SeededRandom(seed: UInt64(step))
            try person.add(text, file: Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &bytes) }))
        case 6..<9 where !own.isEmpty: try person.change(random.pick(own), to: text)
        case 9 where !own.isEmpty: try person.delete(random.pick(own))
        default: try person.add(text)
        }
    }

    /// Gives a person's connections other faults. Each proxy watches for the bait from then on.
    private func worsen(_ person: NetworkPerson) {
        let faults = (0..<6).map { _ in fault() }
        person.proxy.follow { $0 < faults.count ? faults[$0] : .forbid(Self.bait) }
        if random.chance(1, of: 2) { person.proxy.cut() }
    }

    private func fault() -> Fault {
        let way: Fault.Way = random.chance(1, of: 2) ? .up : .down
        let after = Int.random(in: 0...(random.chance(3, of: 4) ? 2_000 : 400_000), using: &random)
        return switch Int.random(in: 0..<12, using: &random) {
        case 0: .refuse
        case 1, 2: .reset(after: after, way)
        case 3, 4: .close(after: after, way)
        case 5: .garbage(after: after, way)
        case 6: .stall(after: after, way)
        case 7: .slow(bytesPerSecond: Int.random(in: 20_000...300_000, using: &random))
        case 8: .buffer(requestsWith: "/instant/v1/events")
        case 9: .limit(bodyBytes: Int.random(in: 70_000...200_000, using: &random))
        default: .forbid(Self.bait)
        }
    }

    // MARK: What has to be so

    /// Only the bait is refused from now on.
    ///
    /// - Returns: How many edits are put aside.
    private func arriveWhatIsNotRefused() async throws -> Int {
        for person in people {
            person.proxy.follow { _ in .forbid(Self.bait) }
            person.proxy.cut()
        }
        // A refused edit, and what waits for it, may stay; everything else arrives. Nothing is put aside until something
        // else passes after it has failed.
        for person in people {
            var (last, number) = (ContinuousClock.now - .seconds(20), 0)
            try await person.settle(within: 180) {
                if try self.isRefused(person) || person.isSettled { return true }
                if .now - last >= .seconds(20) {
                    (last, number) = (.now, number + 1)
                    try person.add("a note that passes \(number) of \(person.name)")
                }
                return false
            }
        }
        var aside = 0
        for person in people {
            for edit in try person.unsent() {
                guard edit.isAside, case .parked(let why) = edit.state, why.contains("put aside: something between")
                else {
                    throw Failure("\(person.name) has \(edit), which is neither sent nor named")
                }
                aside += 1
            }
        }
        let missing = Set(try expected { !$0.contains(Self.bait) })
        try await witness.settle(within: 60) { missing.isSubset(of: try self.witness.texts()) }
        let seen = try witness.texts()
        guard Set(seen).count == seen.count else { throw Failure("a note is there twice: \(seen)") }
        return aside
    }

    /// Whether all that is left is put aside.
    private func isRefused(_ person: NetworkPerson) throws -> Bool {
        person.descriptor.status.connection == .live && person.descriptor.status.unsent == 0
            && person.descriptor.documentState != .sendingChanges
    }

    /// While nothing changes, a client sends at most two requests a second, also if some of its edits are refused, or no
    /// connection is accepted.
    private func leaveTheServerAlone() async throws {
        for isDown in [false, true] {
            if isDown {
                for person in people {
                    person.proxy.follow { _ in .refuse }
                    person.proxy.cut()
                }
            }
            let before = people.map(\.requestCount)
            let seconds = 5
            await timePassed(.seconds(seconds))
            for (person, before) in zip(people, before) where person.requestCount - before > 2 * seconds {
                throw Failure("\(person.name) sent \(person.requestCount - before) requests in \(seconds) s")
            }
        }
    }

    /// Nothing is refused any more.
    private func arriveAll() async throws {
        for person in people {
            person.proxy.follow { _ in .none }
            person.proxy.cut()
            person.descriptor.retryNow()
        }
        for person in people {
            try await person.settle(within: 120) {
                if person.isSettled, try !person.unsent().isEmpty { person.descriptor.retryNow() }
                return try person.isSettled && person.unsent().isEmpty
            }
        }
        let expected = try expected { _ in true }
        for person in people + [witness] {
            do { try await person.settle(within: 60) { try person.texts() == expected } } catch {
                let found = try person.texts()
                throw Failure(
                    """
                    \(person.name) sees other notes than were written
                    missing: \(expected.filter { !found.contains($0) })
                    too many: \(found.filter { !expected.contains($0) })
                    \(found.count) of \(expected.count); \(person.descriptor.status)
                    """)
            }
        }
        for person in people where person.descriptor.status.conflicts + person.descriptor.status.refused > 0 {
            throw Failure("\(person.name) has conflicts or refused edits: \(try person.unsent())")
        }
    }

    private func expected(where isWanted: (String) -> Bool) throws -> [String] {
        people.flatMap { $0.notes.values.compactMap(\.self) }.filter(isWanted).sorted()
    }
}
