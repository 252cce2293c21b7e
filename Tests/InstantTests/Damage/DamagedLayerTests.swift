import Annotations
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Instant
@testable import InstantCore

/// Bytes of a client's files change on disk. What is read is what was written, or it is left out and named, and a repair
/// keeps every edit that it can read.
@Suite("A damaged layer", .onDatabaseThreads, .timeLimit(.minutes(60))) struct DamagedLayerTests {
    /// How many bytes to flip, and the seed of the first one: `FLIPS=2000 FLIPS_FROM=0 swift test --filter …`.
    private static let flips = ProcessInfo.processInfo.environment["FLIPS"].flatMap(Int.init) ?? 100
    private static let first = ProcessInfo.processInfo.environment["FLIPS_FROM"].flatMap(UInt64.init) ?? 0

    /// The number of flips by what became of them.
    private struct Outcomes {
        var unread = 0
        var named = 0
        var refused = 0
        var repaired = 0
        var kept = 0
        var lost = 0
    }

    @Test(arguments: [false, true]) func aFlippedByteIsNeverReadAsData(_ isKilled: Bool) throws {
        let client = try StoredClient(isKilled: isKilled)
        let folder = try TemporaryFolder()
        try client.put(in: folder.path)
        let path = try StoredClient.database(in: folder.path)
        #expect(client.files.keys.contains { $0.hasSuffix("-wal") } == isKilled)
        #expect(try Self.findings(folder).isEmpty)
        try Self.reset(folder, client)
        let truth = StoredLook(at: path)
        #expect(truth.damage.isEmpty && !truth.values.values.contains(StoredLook.failed))
        #expect(truth.values.count > 100 && truth.lists["outbox"]?.count == 26)
        var outcomes = Outcomes()
        for seed in Self.first..<Self.first + UInt64(Self.flips / 2) {
            try flip(seed, client, folder, truth, &outcomes)
        }
        print(
            """
            \(Self.flips / 2) flipped bytes, \(isKilled ? "killed" : "closed"): \(outcomes.unread) in nothing that was \
            read, \(outcomes.named) named, \(outcomes.refused) not opened; \(outcomes.repaired) stores repaired, \
            \(outcomes.kept) edits kept, \(outcomes.lost) lost
            """)
    }

    private func flip(
        _ seed: UInt64, _ client: StoredClient, _ folder: TemporaryFolder, _ truth: StoredLook,
        _ outcomes: inout Outcomes
    ) throws {
        var random = SeededRandom(seed: seed)
        var changed = client
        // Half of the flips are in the database.
        let names = client.files.keys.sorted()
        let databases = names.filter { $0.hasSuffix(".sqlite") }
        let name = random.pick(random.chance(1, of: 2) ? databases : names)
        let place = Int.random(in: 0..<(client.files[name]?.count ?? 1), using: &random)
        changed.files[name]?[place] ^= UInt8.random(in: 1...255, using: &random)
        let what: Comment = "seed \(seed), byte \(place) of \(name.split(separator: "/").last ?? "")"
        let path = try StoredClient.database(in: folder.path)

        try Self.reset(folder, changed)
        let found = StoredLook(at: path)
        let differing = found.differences(from: truth)
        // A read that fails names what is wrong, too.
        let wrong = differing.filter { !found.isFailure($0) }
        #expect(wrong.isEmpty || !found.damage.isEmpty, "\(what): \(wrong.prefix(3)) differ, nothing is named")
        // After lost commits, everything is as it was before.
        let isEarlier = found.damage.contains { if case .lostCommits = $0 { true } else { false } }
        let exact = ["server ", "edit ", "row ", "listed "]
        for name in differing where !isEarlier && exact.contains(where: name.hasPrefix) {
            let value = found.values[name]
            #expect(
                [nil, StoredLook.failed, "nil"].contains(value),
                "\(what): \(name) is \(value ?? "") instead of \(truth.values[name] ?? "nothing")")
        }

        try Self.reset(folder, changed)
        let findings = try Self.findings(folder)
        #expect(
            differing.isEmpty || !findings.isEmpty, "\(what): \(differing.prefix(3)) differ, the check finds nothing")
        if name.hasSuffix(".pdf") || name.contains("/attachments/") {
            #expect(findings.map(\.path).contains { $0.hasSuffix(name) }, what)
        }
        if name.hasSuffix(".json") { #expect(!findings.isEmpty, what) }
        if found.values.isEmpty {
            outcomes.refused += 1
        } else if differing.isEmpty {
            outcomes.unread += 1
        } else {
            outcomes.named += 1
        }
        for finding in findings { try repair(finding, folder, client, truth, (name, place, what), &outcomes) }
        let left = try Self.findings(folder)
        #expect(left.isEmpty, "\(what): after the repair: \(left.map { $0.problem ?? "" })")
    }

    private func repair(
        _ finding: InstantStorageFinding, _ folder: TemporaryFolder, _ client: StoredClient, _ truth: StoredLook,
        _ flip: (name: String, place: Int, what: Comment), _ outcomes: inout Outcomes
    ) throws {
        #expect(finding.isRepairable, "\(flip.what): \(finding.problem ?? "")")
        let repair = try InstantClient.repair(finding, in: folder.url)
        guard finding.subject == .store else { return }
        let all = Set((truth.lists["outbox"] ?? []).compactMap { Int64($0) })
        let after = StoredLook(at: finding.path)
        let kept = Set((after.lists["outbox"] ?? []).compactMap { Int64($0) })
        outcomes.repaired += 1
        outcomes.kept += kept.count
        outcomes.lost += all.subtracting(kept).count
        #expect(repair.keptEdits == kept.count, flip.what)
        #expect(kept.isSubset(of: all), flip.what)
        if flip.name.hasSuffix(".sqlite") {
            // Only edits on the damaged page may be lost.
            let onPage = client.editsOfPages[flip.place / 4096 + 1] ?? []
            #expect(all.subtracting(kept).isSubset(of: onPage), flip.what)
        }
        let isNamed = !repair.lostEdits.isEmpty || repair.unreadablePages > 0
        #expect(kept == all || isNamed, "\(flip.what): \(all.subtracting(kept)) lost, nothing is named")
        #expect(isNamed == (repair.damagedCopy != nil), flip.what)
        for seq in kept {
            #expect(after.edits[seq] == truth.edits[seq], "\(flip.what): edit \(seq) has changed")
        }
    }

    private static func findings(_ folder: TemporaryFolder) throws -> [InstantStorageFinding] {
        try InstantClient.checkStorage(in: folder.url).filter { $0.problem != nil }
    }

    private static func reset(_ folder: TemporaryFolder, _ client: StoredClient) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        try client.put(in: folder.path)
    }
}
