import Annotations
import FileCore

/// A core with its inputs and effects at hand. Its effects wait until a test performs them.
struct Bench {
    typealias Core = LocalFileCore

    var core: LocalFileCore
    var effects: [Core.Effect] = []
    var now = Timestamp(seconds: 1_000_000)

    static let ana = FileUser(pid: 10, start: 1)
    static let version = Self.version("first")

    static func version(_ hash: String, size: Int64 = 100) -> FileVersion {
        FileVersion(inode: 1, size: size, changed: 1, sha256: hash)
    }

    static func note(_ id: String, _ text: String) -> Record {
        let content = #"{"type":"pspdfkit/note","pageIndex":0,"text":"\#(text)","name":"\#(id)"}"#
        return Record(id: id, content: Content(checked: content))
    }

    /// The id of a record that this program has made.
    static func id(made seconds: Int64) -> Record.ID {
        var random = SystemRandomNumberGenerator()
        return ULID.make(at: Timestamp(seconds: seconds), using: &random)
    }

    /// A file with these notes, open in a window.
    init(_ notes: [Record] = [], isPrivate: Bool = false, policy: any RecordComparing = ByName()) {
        core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: policy)
        send(.started(nil, .runtime, alive: []))
        send(.opened(1, Self.ana, isPrivate: isPrivate))
        if isPrivate { store() }
        look(.read(FileReading(version: Self.version, records: notes)))
        store()
        effects = []
    }

    mutating func send(_ input: Core.Input) { effects = core.handle(input, now: now) }

    var ticket: Int? {
        for effect in effects.reversed() {
            switch effect {
            case .look(let ticket, _), .store(let ticket, _, _), .prepare(let ticket, _), .exchange(let ticket, _, _),
                .putBack(let ticket, _), .inspect(let ticket, _), .remove(let ticket, _), .copy(let ticket, _, _, _),
                .forget(let ticket):
                return ticket
            case .removeEarlier, .publish, .answer: continue
            }
        }
        return nil
    }

    mutating func look(_ look: Core.Look) { send(.looked(ticket ?? 0, look, beside: [])) }
    mutating func store() { send(.stored(ticket ?? 0)) }

    mutating func edit(_ caller: Int, _ record: Record) {
        send(.pushed(caller, [Core.Edit(id: record.id, record: record)], synced: [:]))
    }

    /// Writes, up to the exchange.
    mutating func prepare(as hash: String, unwritten: [Record.ID] = []) {
        send(.writeAsked(9, Core.WriteOrder()))
        look(.same)
        store()
        send(.prepared(ticket ?? 0, .made(Self.version(hash), keepsIDs: true, unwritten: unwritten)))
        store()
    }

    /// Writes, and removes what the write leaves beside the file.
    mutating func write(as hash: String, over version: FileVersion) {
        prepare(as: hash)
        send(.exchanged(ticket ?? 0, .done(version.contents)))
        store()
        while effects.contains(where: { if case .remove = $0 { true } else { false } }) {
            send(.removed(ticket ?? 0, isGone: true))
            store()
        }
    }

    var places: [Core.Place] {
        effects.compactMap { if case .store(_, _, let place) = $0 { place } else { nil } }
    }

    var answers: [Core.Answer] {
        effects.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
    }
}

/// An annotation is the record of its name.
struct ByName: RecordComparing {
    func partners(of file: [Record], in known: [Record], sharesIDs: Bool, isMoved: Bool) -> [ByteOrdered: Record] {
        var partners: [ByteOrdered: Record] = [:]
        for record in file {
            guard let name = record.content["name"]?.string,
                var partner = known.first(where: { $0.id.isExactly(name) })
            else { continue }
            partner.content = record.content
            partners[ByteOrdered(record.id)] = partner
        }
        return partners
    }
}

/// All words are where they were.
struct SameWords: WordMoves {
    let isOtherDocument = false

    func move(_ records: [Record], lost: [ByteOrdered: LostMark]) -> MovedRecords {
        MovedRecords(records: records, lost: lost)
    }
}

/// An annotation is the record with the same value of a member.
struct ByMember: RecordComparing {
    let name: String

    init(_ name: String) { self.name = name }

    func partners(of file: [Record], in known: [Record], sharesIDs: Bool, isMoved: Bool) -> [ByteOrdered: Record] {
        var partners: [ByteOrdered: Record] = [:]
        for record in file {
            guard var partner = known.first(where: { $0.content[name] == record.content[name] }) else { continue }
            partner.content = partner.content.changing { $0["text"] = record.content["text"] }
            partners[ByteOrdered(record.id)] = partner
        }
        return partners
    }
}
