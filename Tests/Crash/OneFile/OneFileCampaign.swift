import Annotations
import Foundation
import Glibc
import TestSupport

/// Two windows on one PDF, with one engine, and another program that changes the file: creates, edits, deletions, writes
/// and decisions in random order, some of them at the same time. The other program saves copies that it has had open for
/// long, and writes into the file in place. Nobody's change may be lost, unless somebody who saw it replaced it.
final class OneFileCampaign {
    private let postilla: String
    private let folder: URL
    private let lies: Bool
    private(set) var summary = ""
    private var (steps, saves, writes, races, decisions, cards) = (0, 0, 0, 0, 0, 0)

    private var random = SeededRandom(seed: 0)
    private var file = ""
    private var original = Data()
    private var ledger = ValueLedger()
    private var other = OtherProgram(folder: URL(fileURLWithPath: "/"))
    private var windows: [EditingWindow] = []
    private var engine = OwnEngine(socket: "")
    /// What the other program has open.
    private var held: OtherProgram.Copy?
    /// Whether the other program may write the file anew, so that only names tell its annotations apart.
    private var rewrites = false
    private var hasRewritten = false
    private var count = 0

    init(postilla: String, folder: URL, lies: Bool) throws {
        (self.postilla, self.folder, self.lies) = (postilla, folder, lies)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// What has happened so far, for people.
    var story: String { ledger.story.joined(separator: "\n") }

    func history(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        (ledger, held, hasRewritten, count) = (ValueLedger(), nil, false, 0)
        rewrites = random.chance(1, of: 2)
        let place = folder.appendingPathComponent("\(seed)")
        for name in ["run", "other", "papers"] {
            try FileManager.default.createDirectory(
                at: place.appendingPathComponent(name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        other = OtherProgram(folder: place.appendingPathComponent("other"))
        file = place.appendingPathComponent("papers/paper.pdf").path
        try makeFile()
        let child = try Child(
            [postilla, "engine"],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": place.path, "XDG_RUNTIME_DIR": place.path + "/run",
                "SWIFT_BACKTRACE": "enable=no",
            ], log: place.appendingPathComponent("engine.log"))
        defer { child.kill() }
        engine = OwnEngine(socket: try Self.socket(of: child, in: place.path + "/run"))
        windows = []
        for name in ["one", "two"] {
            windows.append(
                try await EditingWindow(
                    "window " + name, engine, file: file, data: place.appendingPathComponent(name)))
        }
        for _ in 0..<Int.random(in: 10...30, using: &random) {
            steps += 1
            try await step()
        }
        if lies { ledger.created(newNote(), by: "a liar") }
        try await finish()
        for window in windows { await window.close() }
        child.kill()
        try FileManager.default.removeItem(at: place)
        summary =
            "\(steps) steps, \(writes) writes, \(saves) saves by another program, \(races) at the same time, "
            + "\(cards) conflicts, \(decisions) decisions"
    }

    private static func socket(of child: Child, in run: String) throws -> String {
        Child.wait(for: [child], milliseconds: 30_000)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: run + "/postilla")) ?? []
        let sockets: [String] = names.map { "\(run)/postilla/\($0)/engine.sock" }
            .filter { access($0, F_OK) == 0 }
        guard child.isRunning, sockets.count == 1 else { throw CrashProblem("the engine did not start") }
        return sockets[0]
    }

    private func makeFile() throws {
        let notes = [newNote(), newNote()]
        original = Data(
            SmallPDF(
                annotations: notes.map { note in
                    let name = rewrites ? "/NM(a name of the file, \(note.key))" : ""
                    let color = [0, 2, 4].map { start -> String in
                        let digits = note.color.dropFirst(start).prefix(2)
                        return "\((Double(Int(digits, radix: 16) ?? 0) / 255 * 100_000).rounded() / 100_000)"
                    }.joined(separator: " ")
                    return "<</Type/Annot/Subtype/Text/Rect[100 \(600 + count) 120 \(620 + count)]/T(Eve)/F 28"
                        + "/C[\(color)]/Subj(\(note.key))/Contents(\(note.text))\(name)>>"
                }
            ).bytes)
        try original.write(to: URL(fileURLWithPath: file))
        for note in notes { ledger.created(note, by: "the file") }
    }

    // MARK: Values

    private func next() -> Int {
        count += 1
        return count
    }

    private func newText() -> String { "text\(next())" }

    private func newColor() -> String {
        let digits = String(0x404040 + next() * 0x010203, radix: 16)
        return digits
    }

    private func newNote() -> ValueLedger.Note {
        ValueLedger.Note(key: "key\(next())", text: newText(), color: newColor())
    }

    // MARK: Steps

    private func step() async throws {
        let window = random.pick(windows)
        switch Int.random(in: 0..<32, using: &random) {
        case 0..<3:
            let note = newNote()
            try window.create(note)
            ledger.created(note, by: window.name)
        case 3..<8: try edit(window)
        case 8: try delete(window)
        case 9..<12: try await window.sync()
        case 12..<16:
            if random.chance(2, of: 3) { try await window.sync() }
            try await write(window.name)
        case 16..<21: try await saveAfresh()
        case 21..<23: if held == nil { hold() }
        case 23..<25: if let copy = held { try await saveHeld(copy) }
        case 25..<29: try await race()
        default: _ = try await decide()
        }
    }

    private func edit(_ window: EditingWindow) throws {
        guard case let notes = try window.notes(), !notes.isEmpty else { return }
        let (id, note) = random.pick(notes)
        let property = random.chance(2, of: 3) ? ValueLedger.Property.text : .color
        let value = ValueLedger.Value(
            key: note.key, property: property, value: property == .text ? newText() : newColor())
        let mine = try waiting(note.key, in: window)
        guard let old = try window.set(id, value) else { return }
        ledger.set(value, over: old.note, by: window.name)
        if old.hasChanged { ledger.dropped(old.note) }
        if let mine { ledger.dropped(mine) }
    }

    private func delete(_ window: EditingWindow) throws {
        guard case let notes = try window.notes(), notes.count > 1 else { return }
        let (id, note) = random.pick(notes)
        let mine = try waiting(note.key, in: window)
        guard let old = try window.delete(id) else { return }
        ledger.deleted(old, by: window.name)
        if let mine { ledger.dropped(mine) }
    }

    /// The version of a note that is in conflict with the other window's. A further edit takes its place.
    private func waiting(_ key: String, in window: EditingWindow) throws -> ValueLedger.Note? {
        try window.conflicts().first { ($0.mine ?? $0.base)?.key == key }?.mine
    }

    /// Writes what the engine has into the file. Another program may keep it from doing so.
    private func write(_ who: String) async throws {
        let (engine, document) = (engine, windows[0].document)
        try await written(by: who) { try await engine.ask("write", ["document": .string(document)]) }
    }

    private func written(by who: String, _ write: () async throws -> JSON) async throws {
        writes += 1
        do {
            ledger.tell("\(who) writes: \(try await write()["written"]?.text ?? "")")
        } catch let refusal as OwnEngine.Refusal {
            ledger.tell("\(who) cannot write: \(refusal)")
            guard ["changed", "unreadable"].contains(refusal.problem) else { throw refusal }
        }
    }

    // MARK: The other program

    private func changes(
        of copy: OtherProgram.Copy, except disputed: Set<String> = []
    ) -> [OtherProgram.Change] {
        var (left, changes) = (copy.notes.filter { !disputed.contains($0.key) }, [OtherProgram.Change]())
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let kind = Int.random(in: 0..<9, using: &random)
            guard kind > 1, !left.isEmpty else {
                let note = newNote()
                changes.append(.create(key: note.key, text: note.text, color: note.color))
                continue
            }
            let note = left.remove(at: Int.random(in: left.indices, using: &random))
            switch kind {
            case 2..<6: changes.append(.setText(note, newText()))
            case 6, 7: changes.append(.setColor(note, newColor()))
            default: if copy.notes.count > 1 { changes.append(.delete(note)) }
            }
        }
        return changes
    }

    /// Takes down what the other program is about to do.
    private func note(_ changes: [OtherProgram.Change], _ how: String) {
        saves += 1
        let who = "another program"
        ledger.tell("\(who) saves, \(how):")
        for change in changes {
            switch change {
            case .create(let key, let text, let color):
                ledger.created(ValueLedger.Note(key: key, text: text, color: color), by: who)
            case .setText(let note, let text):
                ledger.set(.init(key: note.key, property: .text, value: text), over: .init(note), by: who)
            case .setColor(let note, let color):
                ledger.set(.init(key: note.key, property: .color, value: color), over: .init(note), by: who)
            case .delete(let note): ledger.deleted(.init(note), by: who)
            }
        }
    }

    private func saveAfresh() async throws {
        let copy = try other.read(file)
        let changes = changes(of: copy, except: try await look(for: copy))
        if rewrites, random.chance(1, of: 2) {
            note(changes, "everything anew")
            let saving = random.chance(1, of: 2) ? OtherProgram.Saving.renaming : .truncating
            hasRewritten = true
            try other.save(try other.rewritten(copy, changes), of: copy, to: file, saving, pause: pause())
        } else {
            try append(changes, to: copy)
        }
    }

    private func append(_ changes: [OtherProgram.Change], to copy: OtherProgram.Copy) throws {
        let saving = random.pick(OtherProgram.Saving.allCases)
        note(changes, "\(saving)")
        try other.save(try other.appended(copy, changes, save: next()), of: copy, to: file, saving, pause: pause())
    }

    private func pause() -> Int32 { Int32.random(in: 0...80, using: &random) }

    private func hold() {
        held = try? other.read(file)
        ledger.tell("another program opens the file")
    }

    /// Saves a copy without what came into the file since.
    private func saveHeld(_ copy: OtherProgram.Copy) async throws {
        // What another copy of that program wrote since would be lost by that program.
        let disputed = try await look(for: copy)
        held = nil
        ledger.tell("the next save is of a copy that was open")
        try append(changes(of: copy, except: disputed), to: copy)
        _ = try await look()
    }

    /// Lets the engine read the file.
    ///
    /// - Returns: the notes that wait for a decision, of which a copy does not have the other program's version. Nobody
    ///   changes them there: three versions would be in dispute, and a conflict has two.
    private func look(for copy: OtherProgram.Copy? = nil) async throws -> Set<String> {
        let state = try await engine.ask("open", ["path": .string(file)])
        _ = try await engine.ask("close", ["document": .string(windows[0].document)])
        let known = Set((copy?.notes ?? []).map(ValueLedger.Note.init))
        return Set(
            (state["conflicts"]?.array ?? []).compactMap { card in
                let theirs = Self.note(card["theirs"])
                return theirs.map(known.contains) == true ? nil : Self.versions(card).first?.key
            })
    }

    private static func versions(_ card: JSON) -> [ValueLedger.Note] {
        ([card["mine"], card["theirs"], card["base"]] + (card["further"]?.array ?? [])).compactMap(note)
    }

    /// Writes while the other program saves.
    private func race() async throws {
        races += 1
        for window in windows where random.chance(2, of: 3) { try await window.sync() }
        let copy: OtherProgram.Copy
        if let open = held, random.chance(1, of: 2) {
            held = nil
            copy = open
        } else {
            copy = try other.read(file)
        }
        let changes = changes(of: copy, except: try await look(for: copy))
        let bytes = try other.appended(copy, changes, save: next())
        let (delay, pause) = (Int32.random(in: 0...150, using: &random), pause())
        let saving = random.pick(OtherProgram.Saving.allCases)
        note(changes, "\(saving), while window one writes")
        let (engine, document) = (engine, windows[0].document)
        let writing = Task { try await engine.ask("write", ["document": .string(document)]) }
        poll(nil, 0, delay)
        try other.save(bytes, of: copy, to: file, saving, pause: pause)
        try await written(by: "window one") { try await writing.value }
        _ = try await look()
    }

    // MARK: Decisions

    /// Decides one conflict, if there is any.
    private func decide() async throws -> Bool {
        // Who decides sees what is there.
        for window in windows { try await window.sync() }
        for window in windows {
            guard let conflict = try window.conflicts().first else { continue }
            guard let key = (conflict.mine ?? conflict.theirs ?? conflict.base)?.key else { continue }
            var (mine, kept) = (random.chance(1, of: 2), conflict.theirs)
            if conflict.theirs == nil,
                let other = try window.notes().first(where: {
                    $0.note.key == key && $0.note != conflict.mine
                })
            {
                // Someone else restored the deleted note under a new id. A person keeps that one.
                (mine, kept) = (false, other.note)
            }
            guard try window.resolve(conflict, mine: mine) else { return true }
            ledger.decided(
                key, between: [conflict.mine, conflict.theirs, conflict.base].compactMap { $0 },
                for: mine ? conflict.mine : kept, by: window.name)
            decisions += 1
            return true
        }
        let document: JSON = .string(windows[0].document)
        let state = try await engine.ask("state", ["document": document])
        guard let card = state["conflicts"]?.array?.first, let id = card["id"]?.string else { return false }
        let (mine, theirs, base) = (Self.note(card["mine"]), Self.note(card["theirs"]), Self.note(card["base"]))
        guard let key = (mine ?? theirs ?? base)?.key else {
            throw CrashProblem("a conflict without a note: \(card.text)")
        }
        let notes = try windows[0].notes().filter { $0.note.key == key }
        let shown = notes.first?.note
        // Someone has made the deleted note again under a new id. A person keeps that one.
        let other = mine == nil ? notes.first { !$0.id.isExactly(id) }?.note : nil
        let keepsMine = random.chance(1, of: 2) || other != nil
        let order: JSON = [
            "document": document, "id": .string(id), "keep": keepsMine ? "mine" : "theirs",
            "mine": card["mine"] ?? .null, "theirs": card["theirs"] ?? .null,
        ]
        do { _ = try await engine.ask("resolve", order) } catch let refusal as OwnEngine.Refusal {
            guard refusal.problem == "decided_unseen" else { throw refusal }
            ledger.tell("the engine's user has not seen what \(key) is now")
            return true
        }
        ledger.decided(
            key, between: [mine, theirs, base, shown].compactMap { $0 },
            for: other ?? (keepsMine ? (mine == nil ? nil : shown) : theirs), by: "the engine's user")
        decisions += 1
        for window in windows { try await window.sync() }
        return true
    }

    private static func note(_ record: JSON?) -> ValueLedger.Note? {
        record?["content"]?.object.flatMap { ValueLedger.Note(Content($0)) }
    }

    // MARK: The end

    private func finish() async throws {
        try await settle()
        try await check("before the last decisions")
        var rounds = 0
        while try await decide() {
            rounds += 1
            guard rounds < 200 else { throw CrashProblem("decisions do not end") }
        }
        try await settle()
        let rest = try await check("at the end")
        guard rest == 0 else { throw CrashProblem("\(rest) conflicts are left") }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        guard hasRewritten || bytes.starts(with: original) else {
            throw CrashProblem("the file does not begin with its original bytes")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: (file as NSString).deletingLastPathComponent)
        guard names == ["paper.pdf"] else { throw CrashProblem("files are left: \(names.sorted())") }
        try other.check(file)
    }

    /// Writes until there is nothing to write.
    private func settle() async throws {
        var last: [String] = []
        for _ in 0..<20 {
            for window in windows { try await window.sync() }
            let answer = try await engine.ask("write", ["document": .string(windows[0].document)])
            for window in windows { try await window.sync() }
            let now = try windows.map { window -> String in
                "\(try window.notes().map { "\($0)" as String }.sorted()), \(try window.conflicts().count)"
            }
            let isQuiet = answer["written"]?["records"]?.integer == 0 && answer["written"]?["merged"]?.integer == 0
            if isQuiet, now == last { return }
            last = now
        }
        throw CrashProblem("writing does not come to an end")
    }

    /// - Returns: the number of conflicts.
    @discardableResult
    private func check(_ when: String) async throws -> Int {
        let state = try await engine.ask("state", ["document": .string(windows[0].document)])
        var all: [ValueLedger.Card] = []
        for card in state["conflicts"]?.array ?? [] {
            let versions = Self.versions(card)
            if let key = versions.first?.key { all.append(.init(key: key, versions: versions)) }
        }
        for window in windows {
            for conflict in try window.conflicts() {
                let versions = [conflict.mine, conflict.theirs, conflict.base].compactMap { $0 }
                if let key = versions.first?.key { all.append(.init(key: key, versions: versions)) }
            }
        }
        cards += all.count
        let notes = try other.read(file).notes.map(ValueLedger.Note.init)
        let layers = try windows.map { try $0.notes().map(\.note) }
        if let problem = ledger.problem(file: notes, layers: layers, cards: all) {
            throw CrashProblem("\(when): \(problem)")
        }
        let unwritten = Int(state["unwritten"]?.integer ?? -1)
        let engines = state["conflicts"]?.array?.count ?? 0
        guard unwritten == engines else {
            throw CrashProblem("\(when): \(unwritten) changes are not written, with \(engines) conflicts")
        }
        return all.count
    }
}

extension ValueLedger.Note {
    init(_ note: OtherProgram.Note) { self.init(key: note.key, text: note.text, color: note.color) }
}
