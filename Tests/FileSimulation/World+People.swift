import Annotations
import FileCore
import TestSupport

// What people do in windows and with commands.
extension World {
    func open(_ place: Place, isPrivate: Bool? = nil) throws {
        let isPrivate = isPrivate ?? (profile.hasPrivate && chance(1, of: 2))
        let window = Window(nextProcess(), place.number, isPrivate: isPrivate)
        windows.append(window)
        story("\(window.name) opens \(place.path)\(isPrivate ? " privately" : "")")
        try ask(window)
    }

    /// Lets a window open its file in the engine that runs, or in a new one.
    func ask(_ window: Window) throws {
        if serving == nil { try startEngine() }
        guard let engine = serving else { return }
        let served = file(window.file, in: engine)
        let caller = newCaller()
        served.callers[caller] = .open(window)
        window.asked = engine.number
        try feed(engine, served, .opened(caller, window.user, isPrivate: window.isPrivate))
    }

    func newCaller() -> Int {
        lastCaller += 1
        return lastCaller
    }

    func close() throws {
        guard let window = windows.filter({ $0.isAlive && $0.isOpen }).randomElement(using: &dice) else { return }
        try close(window)
    }

    func close(_ window: Window) throws {
        window.isAlive = false
        story("\(window.name) closes")
        try left(window, .closed(window.user))
    }

    func kill() throws {
        guard let window = windows.filter(\.isAlive).randomElement(using: &dice) else { return }
        window.isAlive = false
        story("\(window.name) is killed")
        try left(window, .gone(window.user))
    }

    private func left(_ window: Window, _ input: LocalFileCore.Input) throws {
        for engine in engines where !engine.isEnded && !engine.isEarlier {
            guard let served = engine.files[window.file], window.isOpen || window.asked == engine.number else {
                continue
            }
            try feed(engine, served, input)
        }
        (window.isOpen, window.asked) = (false, nil)
    }

    /// The engine, with a file that a window has open.
    private func used(_ place: Place) -> (Engine, Engine.Served, Window)? {
        guard let engine = serving, let served = engine.files[place.number] else { return nil }
        let open = windows.filter { $0.isAlive && $0.isOpen && $0.file == place.number && $0.asked == engine.number }
        guard let window = open.randomElement(using: &dice) else { return nil }
        return (engine, served, window)
    }

    func edit(_ place: Place) throws {
        // The server refuses an edit of what the window has not seen, so it comes when nothing else is being stored.
        guard let (engine, served, window) = used(place), !served.isStoring, let database = served.database else {
            return
        }
        let shown = database.records.filter { $0.value.local != nil }.keys.sorted()
        var edits: [(id: String, old: Record?, new: Record?)] = []
        for _ in 0..<(chance(1, of: 5) ? 3 : 1) {
            let id = shown.randomElement(using: &dice)
            guard !edits.contains(where: { $0.id == id?.text }) else { continue }
            let old = id.flatMap { database.records[$0]?.local }
            switch Int.random(in: 0..<8, using: &dice) {
            case 0...2 where old != nil:
                guard let id, let old else { continue }
                edits.append((id.text, old, old.with(place.ledger.newText(of: old.value.note))))
            case 3 where old != nil:
                guard let id else { continue }
                edits.append((id.text, old, nil))
            case 4:
                // What it was before: undo.
                guard let (id, past) = place.past.sorted(by: { $0.key < $1.key }).randomElement(using: &dice),
                    let record = past.randomElement(using: &dice), database.records[id]?.local != record
                else { continue }
                guard !edits.contains(where: { $0.id == id.text }) else { continue }
                edits.append((id.text, database.records[id]?.local, record))
            default:
                let id = newID()
                edits.append((id, nil, .new(id, place.ledger.newNote(), page: 0)))
            }
        }
        guard !edits.isEmpty else { return }
        let caller = newCaller()
        served.callers[caller] = .push(window, edits)
        story("\(window.name) edits: \(edits.map { "\($0.id) \($0.new.map { "\($0.value)" } ?? "deleted")" })")
        try feed(
            engine, served,
            .pushed(
                caller, edits.map { LocalFileCore.Edit(id: $0.id, record: $0.new) },
                synced: database.synced(edits.map { ByteOrdered($0.id) })))
    }

    func write(_ place: Place) throws {
        guard let (engine, served, window) = used(place) else { return }
        var order = LocalFileCore.WriteOrder()
        order.isForced = place.inode == nil && (isQuiet || chance(1, of: 2))
        if !isQuiet {
            order.isCompact = chance(1, of: 10)
            if chance(1, of: 10) { order.copy = "/d\(place.number)/copy.pdf" }
        }
        let caller = newCaller()
        served.callers[caller] = .write(window)
        story("\(window.name) writes\(order.isForced ? ", forced" : "")\(order.copy == nil ? "" : " a copy")")
        try feed(engine, served, .writeAsked(caller, order))
    }

    func revert(_ place: Place) throws {
        guard let (engine, served, window) = used(place) else { return }
        let caller = newCaller()
        served.callers[caller] = .revert
        story("\(window.name) reverts")
        try feed(engine, served, .revertAsked(caller))
    }

    func resolve(_ place: Place) throws {
        guard let (engine, served, window) = used(place), !served.isStoring,
            let id = conflicts(of: place).keys.sorted().randomElement(using: &dice),
            let now = served.core.state.sides(of: id)
        else { return }
        // Between looking and choosing, anything may happen.
        if !isQuiet, place.cards[id] == nil, chance(1, of: 2) {
            story("\(window.name) looks at the conflict about \(id.text)")
            return place.cards[id] = now
        }
        let seen = isQuiet ? now : place.cards[id] ?? now
        place.cards[id] = nil
        let choice = dice.pick([LocalFileCore.Choice.local, .remote, .layer])
        let caller = newCaller()
        served.callers[caller] = .resolve(id, choice, seen: seen)
        let sides = [seen.local, seen.remote].map { $0.map { "\($0.value)" } ?? "deleted" }.joined(separator: " and ")
        story("\(window.name) decides on \(id.text) between \(sides): \(choice)")
        try feed(engine, served, .resolved(caller, LocalFileCore.Decision(id: id.text, choice: choice, sides: seen)))
    }

    func share(_ place: Place) throws {
        guard let (engine, served, window) = used(place), !window.isPrivate else { return }
        let caller = newCaller()
        served.callers[caller] = .share
        try feed(engine, served, .shared(caller, chance(1, of: 3)))
    }

    /// An engine of an earlier version edits the file, and keeps what it edits in a state of its own.
    func earlierEngine(_ place: Place) throws {
        if let old = engines.first(where: { $0.isEarlier && !$0.isEnded }) {
            guard chance(2, of: 3) else { return end(old) }
        } else {
            let environment = Int.random(in: 0...1, using: &dice)
            // It sees another engine only where it looks for it.
            guard !engines.contains(where: { $0.isServing && $0.environment == environment }) else { return }
            let engine = Engine(Int(next()), environment: environment, isEarlier: true)
            engines.append(engine)
            story("an engine of an earlier version starts")
        }
        guard let inode = place.inode, !inode.bytes.isDamaged,
            !windows.contains(where: { $0.isAlive && $0.isPrivate && $0.file == place.number })
        else { return }
        if let version = place.earlier?.version, version.sha256 != inode.version.sha256 { return }
        copies[inode.bytes.hash] = inode.bytes
        let records = inode.bytes.objects.map(\.record)
        let ids = FileNames.ids(of: records)
        var state =
            place.earlier
            ?? (checksum: "", version: inode.version, objects: inode.bytes.objects, rows: [:])
        let record = records.randomElement(using: &dice)
        if let record, chance(1, of: 2), let id = ids[ByteOrdered(record.id)] {
            var base = record
            base.id = id
            var row = state.rows[ByteOrdered(id)] ?? LocalFileState.Row(base: base, local: base)
            guard let seen = row.local?.value else { return }
            let value = place.ledger.newText(of: seen.note)
            row.local = row.local?.with(value)
            place.ledger.made(value, over: seen, by: "an earlier version")
            place.ledger.wasTakenElsewhere(seen)
            state.rows[ByteOrdered(id)] = row
            story("the earlier version makes \(id) \(value)")
        } else {
            let value = place.ledger.newNote()
            let id = newID()
            place.ledger.made(value, over: nil, by: "an earlier version")
            state.rows[ByteOrdered(id)] = LocalFileState.Row(base: nil, local: .new(id, value, page: 0))
            story("the earlier version adds \(id) \(value)")
        }
        state.checksum = "sum\(next())"
        place.earlier = state
    }
}
