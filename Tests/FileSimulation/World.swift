import Annotations
import FileCore
import TestSupport

/// One machine, its people and its programs.
final class World {
    var dice: SeededRandom
    let profile: Profile
    let story: Story
    var now = Timestamp(seconds: 1_700_000_000)
    var hasJumpedBack = false
    var places: [Place]
    var engines: [Engine] = []
    var windows: [Window] = []
    /// On disk and in memory, by file.
    var kept: [Int: Database] = [:]
    var inMemory: [Int: Database] = [:]
    /// The file that is locked. It is another one after somebody has removed it.
    var lockFile = 1
    var lockHolders: [Int: Int] = [:]
    var hasLostLock = false
    /// Editions that are other documents.
    var others: Set<Int> = []
    /// All that was ever a file: the copies that the engine keeps.
    var copies: [String: Bytes] = [:]
    var isQuiet = false
    private var lastNumber: UInt64 = 100
    private var lastProcess: Int32 = 0
    var lastCaller = 0
    var counts: [String: Int] = [:]

    init(_ seed: UInt64, _ story: Story) {
        dice = SeededRandom(seed: seed)
        profile = Profile(&dice)
        self.story = story
        places = (0..<(profile.hasTwoFiles ? 2 : 1)).map(Place.init)
        for place in places {
            place.ledger.forgivesDeletions = profile.weights[.typeset, default: 0] > 0
            var objects: [Object] = []
            for number in 0..<Int.random(in: 0...4, using: &dice) {
                let value = place.ledger.newNote()
                objects.append(
                    Object(number: number + 10, name: newName(place, number % 2), page: number % 2, value: value))
                place.ledger.made(value, over: nil, by: "the first file")
            }
            let inode = Inode(next(), Bytes(parts: [part(objects)]), at: now.milliseconds)
            inode.durable = inode.bytes
            place.disk.set([Place.file: inode])
            place.disk.sync()
            place.backups.append(inode.bytes)
            place.programs = (1...2).map(Program.init)
        }
    }

    func next() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// The id of a record that a window makes now.
    func newID() -> Record.ID {
        var number = Repeated(value: next())
        return ULID.make(at: now, using: &number)
    }

    private struct Repeated: RandomNumberGenerator {
        let value: UInt64

        func next() -> UInt64 { value }
    }

    func nextProcess() -> Int32 {
        lastProcess += 1
        return lastProcess
    }

    func part(_ objects: [Object], isHalf: Bool = false) -> Bytes.Part {
        // Sizes are often the same.
        Bytes.Part(
            id: next() &* 0x9E37_79B9_7F4A_7C15, size: Int64.random(in: 10...11, using: &dice), objects: objects,
            isHalf: isHalf)
    }

    /// Most names are unique. Some programs give the same ones on every page, and some give none.
    func newName(_ place: Place, _ page: Int) -> String? {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: return nil
        case 1:
            let name = "fitz-A\(Int.random(in: 0...2, using: &dice))"
            return place.names.insert("\(page) \(name)").inserted ? name : nil
        default: return "3f2b-\(next())"
        }
    }

    func chance(_ times: Int, of: Int) -> Bool { dice.chance(times, of: of) }

    // MARK: A history

    func run() throws {
        story("\(profile.summary)")
        for _ in 0..<profile.steps {
            let step = profile.draw(&dice)
            counts[step.rawValue, default: 0] += 1
            try perform(step)
            passTime(Int64.random(in: 1...300, using: &dice))
        }
        try settle()
    }

    func passTime(_ milliseconds: Int64) { now = now + milliseconds }

    private func perform(_ step: Happening) throws {
        let place = dice.pick(places)
        switch step {
        case .work: try work()
        case .openWindow: try open(place)
        case .closeWindow: try close()
        case .killWindow: try kill()
        case .edit: try edit(place)
        case .write: try write(place)
        case .revert: try revert(place)
        case .resolve: try resolve(place)
        case .share: try share(place)
        case .tick: try tick()
        case .notice: try notice(place)
        case .killEngine: try killEngine()
        case .losePower: try losePower()
        case .load: load(place)
        case .save: try save(place)
        case .restore: restore(place)
        case .typeset: typeset(place)
        case .remove: remove(place)
        case .hang:
            place.disk.isHung.toggle()
            story("the disk of \(place.path) \(place.disk.isHung ? "hangs" : "answers")")
        case .jump: jump()
        case .removeLock: removeLock()
        case .earlierEngine: try earlierEngine(place)
        case .startEngine: try startEngine()
        }
        try checkLocks()
    }

    private func jump() {
        let days = dice.pick([-400, -1, 1, 2, 31, 400] as [Int64])
        passTime(days * 86_400_000)
        if days < 0 { hasJumpedBack = true }
        story("the clock jumps by \(days) days")
    }

    /// Without failures, until nothing happens any more; then everything that was left must be there, and in the end
    /// nothing must be left.
    func settle() throws {
        story("-- all failures end")
        isQuiet = true
        for place in places {
            place.disk.isHung = false
            for program in place.programs { finish(program, place) }
            if place.inode == nil {
                // Somebody puts the file back, so that it can be written.
                restore(place)
            }
        }
        engines.filter(\.isEarlier).forEach { end($0) }
        for place in places {
            if windows.contains(where: { $0.isAlive && $0.file == place.number && $0.isPrivate }) {
                for window in windows where window.isAlive && window.file == place.number { try close(window) }
                try calm()
            }
            try open(place, isPrivate: false)
        }
        try calm()
        // What looks damaged is read in the end, also by an engine that starts because the last one has lost its lock.
        for _ in 0..<3 {
            for place in places where !windows.contains(where: { $0.isOpen && $0.file == place.number }) {
                try open(place, isPrivate: false)
            }
            try calm()
        }
        for place in places { try check(place) }
        // People decide everything, and write.
        for place in places {
            for _ in 0..<40 where !conflicts(of: place).isEmpty {
                try resolve(place)
                try calm()
            }
            guard conflicts(of: place).isEmpty else { throw Violation("a conflict does not end") }
            for _ in 0..<2 {
                try write(place)
                try calm()
            }
            try check(place)
        }
        for window in windows where window.isAlive { try close(window) }
        let isNew = serving == nil
        if isNew { try startEngine() }
        try calm()
        for place in places {
            let database = kept[place.number] ?? inMemory[place.number]
            if let database, !database.meta.isShared {
                let waiting = database.records.filter { !$0.value.isWritten }
                // What cannot be written waits, and what a new engine has found.
                guard !waiting.isEmpty, isNew || waiting.values.allSatisfy({ isPoison($0.local?.value) }) else {
                    throw Violation(
                        "something of a file stays that nobody has open",
                        "\(waiting.count) rows, \(database.meta.hidden), \(String(describing: database.meta.intent))")
                }
            }
            let beside = place.disk.names.keys.filter { $0 != Place.file }
            guard beside.isEmpty else { throw Violation("a hidden file stays", "\(beside)") }
        }
    }

    /// Everything that is asked is done.
    func calm() throws {
        for _ in 0..<12 {
            try revive()
            var rounds = 0
            while engines.contains(where: { !$0.isEnded && $0.files.values.contains { !$0.effects.isEmpty } }) {
                rounds += 1
                guard rounds < 2000 else { throw Violation("the engine never rests") }
                try work()
            }
            passTime(2500)
            try tick()
        }
        while engines.contains(where: { !$0.isEnded && $0.files.values.contains { !$0.effects.isEmpty } }) {
            try work()
        }
    }

    /// Windows whose engine has ended start another one.
    func revive() throws {
        for window in windows where window.isAlive && !window.isOpen && window.asked == nil { try ask(window) }
    }

    func isPoison(_ value: Object.Value?) -> Bool {
        value.map { profile.hasPoison && $0.text % 13 == 0 } ?? false
    }

    private func check(_ place: Place) throws {
        guard let database = kept[place.number] ?? inMemory[place.number] else {
            return try place.ledger.check(
                Ledger.Whereabouts(
                    file: (place.inode?.bytes.objects ?? []).map(\.value), rows: [:], conflicts: [:],
                    kept: place.earlier?.rows.values.map(\.local) ?? []))
        }
        for (id, row) in database.records.sorted(by: { $0.key < $1.key }) {
            let conflict = database.meta.conflicts[id]
            story("  \(id.text): \(told(row.base)) \(told(row.local)) \(conflict.map(told) ?? "")")
        }
        try place.ledger.check(
            Ledger.Whereabouts(
                file: (place.inode?.bytes.objects ?? []).map(\.value), rows: database.records,
                conflicts: database.meta.conflicts, kept: place.earlier?.rows.values.map(\.local) ?? []))
    }

    func told(_ record: Record?) -> String { record.map { "\($0.value)" } ?? "-" }

    func told(_ conflict: LocalFileState.Conflict) -> String {
        "conflict of \(told(conflict.base)): \(told(conflict.local)) or \(told(conflict.remote))"
            + conflict.further.map { ", \(told($0))" }.joined()
    }

    func conflicts(of place: Place) -> [ByteOrdered: LocalFileState.Conflict] {
        (kept[place.number] ?? inMemory[place.number])?.meta.conflicts ?? [:]
    }
}
