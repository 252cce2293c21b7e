import Annotations
import FileCore
import TestSupport

@testable import DocumentEngine

/// What a database must hold after any changes, kept as plain values, and changes made at random.
struct FileHistory {
    typealias Row = LocalFileState.Row

    private(set) var meta = LocalFileState()
    private(set) var rows: [ByteOrdered: Row] = [:]
    var random: SeededRandom
    /// The ids that come up. Two look alike and are different.
    static let ids = ["1", "2", "3", "\u{e9}", "e\u{301}", "W-4", "a b", "12", "13", "14"].map(ByteOrdered.init)
    static let base = try? ids.prefix(6).map { try FileScene.record($0.text, "as it came", by: "ana") }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for record in Self.base ?? [] { rows[ByteOrdered(record.id)] = Row(base: record, local: record) }
    }

    mutating func apply(_ changes: [LocalFileState.Change]) {
        for change in changes {
            if case .row(let id, let row) = change {
                rows[id] = row == Row() ? nil : row
            } else {
                meta.apply(change)
            }
        }
    }

    /// What an engine reads when it starts.
    var state: LocalFileState {
        var state = meta
        for (id, row) in rows where meta.isNeeded(id, row) { state.apply(.row(id, row)) }
        return state
    }

    var written: [ByteOrdered: Row] { rows.filter(\.value.isWritten) }
    var bases: [Record] { rows.values.compactMap(\.base).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) } }

    /// The kinds of changes, each of which must come up.
    static let kinds = 12

    mutating func change(_ kind: Int) throws -> LocalFileState.Change {
        let id = random.pick(Self.ids)
        switch kind {
        case 0: return .row(id, try row(id))
        case 1: return .conflict(id, random.chance(1, of: 3) ? nil : try conflict(id))
        case 2:
            var marks: [ByteOrdered: FileCore.LostMark] = [:]
            for id in Self.ids where random.chance(1, of: 4) {
                guard let record = try record(id) else { continue }
                marks[id] = FileCore.LostMark(record, words: ["lost", "\u{1F600}\n"])
            }
            return .lost(marks)
        case 3:
            var earlier = meta.earlier
            earlier.add([FileScene.version(Int.random(in: 0..<9, using: &random)).contents])
            return .version(
                FileScene.version(Int.random(in: 0..<9, using: &random)), earlier,
                sharesIDs: random.chance(1, of: 2))
        case 4: return .intent(random.chance(1, of: 2) ? nil : try intent())
        case 5:
            var paths = Set(["/a/.b \"c\".postilla", "/a/\u{e9}", "/a/e"])
            if random.chance(1, of: 2) { paths.remove(random.pick(paths.sorted())) }
            return .hidden(paths, writes: Int64.random(in: 0...(.max), using: &random))
        case 6:
            let users = [FileUser(pid: 1, start: .max), FileUser(pid: .max, start: 0)]
            return .owners(Set(users.filter { _ in random.chance(1, of: 2) }))
        case 7: return .madePrivate
        case 8: return .shared(random.chance(1, of: 2))
        case 9: return .counted(Timestamp(milliseconds: Int64.random(in: 0..<1 << 50, using: &random)))
        case 10: return .takenIn(Timestamp(milliseconds: Int64.random(in: 0..<1 << 50, using: &random)))
        default: return .tookOver("checksum \(Int.random(in: 0..<9, using: &random))")
        }
    }

    private mutating func record(_ id: ByteOrdered) throws -> Record? {
        guard !random.chance(1, of: 4) else { return nil }
        let base = Self.base?.first { ByteOrdered($0.id) == id }
        if let base, random.chance(1, of: 3) { return base }
        let text = random.pick(["one", "two", "\u{0}\u{1F600}\"\\", String(repeating: "long ", count: 3000)])
        return try FileScene.record(id.text, text, by: random.pick([nil, "ana", ""]))
    }

    private mutating func records(_ id: ByteOrdered, upTo count: Int) throws -> [Record?] {
        var records: [Record?] = []
        for _ in 0..<Int.random(in: 0...count, using: &random) { records.append(try record(id)) }
        return records
    }

    private mutating func row(_ id: ByteOrdered) throws -> Row {
        var row = Row(base: try record(id))
        row.local = random.chance(1, of: 2) ? row.base : try record(id)
        if random.chance(1, of: 3) {
            row.written = LocalFileState.Written(
                number: Int64.random(in: 0...5, using: &random), before: try records(id, upTo: 3))
        }
        return row
    }

    private mutating func conflict(_ id: ByteOrdered) throws -> LocalFileState.Conflict {
        LocalFileState.Conflict(
            base: try record(id), local: try record(id), remote: try record(id),
            daysLeft: random.pick([nil, 1, 30]), further: try records(id, upTo: 2))
    }

    private mutating func intent() throws -> LocalFileState.Intent {
        var rows: [ByteOrdered: Record?] = [:]
        for id in Self.ids where random.chance(1, of: 4) { rows.updateValue(try record(id), forKey: id) }
        return LocalFileState.Intent(
            number: .max, version: FileScene.version(3), hidden: "/a/.b \u{7}", keepsIDs: random.chance(1, of: 2),
            rows: rows)
    }
}
