import Annotations
import FileCore
import TestSupport

// Engines, and what they do outside of their cores.
extension World {
    var serving: Engine? { engines.last { $0.isServing && !$0.isEnded } }

    func startEngine() throws {
        let engine = Engine(Int(next()), environment: Int.random(in: 0...1, using: &dice), isEarlier: false)
        engines.append(engine)
        try locked(engine, .asked)
    }

    private func locked(_ engine: Engine, _ input: EngineLock.Input) throws {
        for effect in engine.lock.handle(input) {
            switch effect {
            case .takeLock:
                let isFree = lockHolders[lockFile] == nil
                if isFree { (lockHolders[lockFile], engine.lockFile) = (engine.number, lockFile) }
                try locked(engine, .tookLock(isFree))
            case .takeEarlierLock:
                try locked(engine, .tookEarlierLock(!engines.contains { $0.isEarlier && !$0.isEnded }))
            case .releaseLocks, .end, .refuse: end(engine)
            case .serve: try serve(engine)
            }
        }
    }

    private func serve(_ engine: Engine) throws {
        story("engine \(engine.number) starts")
        engine.isServing = true
        for place in places {
            // What is on disk is newer than what is in memory.
            if kept[place.number] != nil { inMemory[place.number] = nil }
            guard kept[place.number] != nil || inMemory[place.number] != nil || place.earlier != nil else { continue }
            _ = file(place.number, in: engine)
        }
        for served in engine.files.values.sorted(by: { $0.place.number < $1.place.number }) {
            guard let earlier = served.place.earlier else { continue }
            let isHere = served.place.inode?.bytes.hash == earlier.version.sha256
            let records = isHere || chance(7, of: 8) ? earlier.objects.map(\.record) : nil
            var versions = EarlierContents()
            // What is read of it tells which versions are within it.
            let beginnings = copies[earlier.version.sha256]?.beginnings.dropLast() ?? []
            if records != nil { versions.add(beginnings.map { .init(size: $0.size, sha256: $0.hash) }) }
            try feed(
                engine, served,
                .foundEarlier(
                    LocalFileCore.EarlierState(
                        checksum: earlier.checksum, version: earlier.version, earlier: versions, rows: earlier.rows,
                        records: records,
                        synced: served.database?.synced(Array(earlier.rows.keys)) ?? [:])))
        }
    }

    /// The core of a file, with its database as it is found.
    func file(_ number: Int, in engine: Engine) -> Engine.Served {
        if let served = engine.files[number] { return served }
        let place = places[number]
        let served = Engine.Served(place, LocalFileCore(path: place.path, name: "f\(number)", policy: Policy()))
        served.database = kept[number] ?? inMemory[number]
        served.database?.fence = engine.number
        served.isKept = kept[number] != nil
        engine.files[number] = served
        let alive = Set(windows.filter(\.isAlive).map(\.user))
        let effects = served.core.handle(
            .started(served.database?.state, served.isKept ? .data : .runtime, alive: alive), now: now)
        served.effects += effects
        return served
    }

    func end(_ engine: Engine) {
        guard !engine.isEnded else { return }
        engine.isEnded = true
        engine.isServing = false
        if let file = engine.lockFile, lockHolders[file] == engine.number { lockHolders[file] = nil }
        for window in windows where window.asked == engine.number { (window.isOpen, window.asked) = (false, nil) }
        engines.removeAll { $0 === engine }
    }

    func killEngine() throws {
        guard let engine = engines.filter({ !$0.isEnded }).randomElement(using: &dice) else { return }
        story("engine \(engine.number) is killed")
        end(engine)
    }

    func removeLock() {
        story("somebody removes the lock")
        lockFile += 1
        hasLostLock = true
    }

    func losePower() throws {
        story("the power fails")
        for engine in engines { end(engine) }
        for window in windows { (window.isAlive, window.isOpen, window.asked) = (false, false, nil) }
        lockHolders = [:]
        for place in places {
            let before = place.inode?.bytes
            for program in place.programs {
                guard let rest = program.rest else { continue }
                place.ledger.lost(rest, to: program.inode?.bytes)
                // The half that is there counts.
                for (value, old) in program.events.0
                where program.inode?.bytes.objects.contains(where: { $0.value == value }) ?? false {
                    place.ledger.made(value, over: old, by: program.name)
                    place.ledger.gaveUp([value] + (old.map { [$0] } ?? []))
                }
            }
            for program in place.programs { (program.loaded, program.rest, program.inode) = (nil, nil, nil) }
            let displaced = place.displaced?.bytes
            let aside = place.disk.names.filter { $0.key != Place.file }.mapValues(\.bytes)
            place.disk.losePower(&dice) { next() }
            // A file that the engine put aside may have reverted to earlier content. Then it is put back.
            for (name, bytes) in aside.sorted(by: { $0.key < $1.key }) {
                guard let now = place.disk.names[name]?.bytes, now != bytes, !place.ledger.showsOrigin(now) else {
                    continue
                }
                place.ledger.wroteAnew(now.objects)
            }
            if let displaced, !place.disk.names.values.contains(where: { $0.bytes == displaced }) {
                place.ledger.lost(displaced, to: nil)
                place.displaced = nil
            }
            place.disk.isHung = false
            if inMemory[place.number]?.meta.isPrivate ?? false {
                place.ledger.endedPrivately(Set((place.inode?.bytes.objects ?? []).map(\.value)))
                place.ledger.replacedUnknown(place.inode?.bytes.objects ?? [], kept: [])
            }
            inMemory[place.number] = nil
            let rows = place.earlier?.rows.values.compactMap { $0.local?.value } ?? []
            if kept[place.number] == nil { place.ledger.forgot(kept: rows) }
            if let before, before != place.inode?.bytes { place.ledger.lost(before, to: place.inode?.bytes) }
            let objects = place.inode?.bytes.objects ?? []
            if kept[place.number] == nil {
                place.ledger.replacedUnknown(objects, kept: Set(rows))
            } else if let bytes = place.inode?.bytes, !place.ledger.showsOrigin(bytes) {
                place.ledger.wroteAnew(objects)
            }
        }
    }

    func tick() throws {
        for engine in engines where engine.isServing {
            if engine.lockFile != lockFile {
                story("engine \(engine.number) sees that its lock is gone")
                for served in engine.files.values { _ = served.core.handle(.stopped, now: now) }
                try locked(engine, .lost)
                continue
            }
            for served in engine.files.values.sorted(by: { $0.place.number < $1.place.number }) {
                guard !engine.isEnded else { break }
                for window in windows where !window.isAlive && window.file == served.place.number {
                    // The engine sees which processes are there.
                    if served.gone.insert(window.user).inserted { try feed(engine, served, .gone(window.user)) }
                }
                try feed(engine, served, .tick)
            }
        }
    }

    func notice(_ place: Place) throws {
        guard let engine = serving, let served = engine.files[place.number] else { return }
        try feed(engine, served, .changedOnDisk)
    }

    /// One data folder has one engine, unless somebody has taken its lock away.
    func checkLocks() throws {
        guard !hasLostLock, engines.count(where: \.isServing) > 1 else { return }
        throw Violation("two engines serve one data folder")
    }

    // MARK: Inputs and effects

    func feed(_ engine: Engine, _ served: Engine.Served, _ input: LocalFileCore.Input) throws {
        guard !engine.isEnded else { return }
        for effect in served.core.handle(input, now: now) {
            switch effect {
            case .answer(let caller, let answer): try answered(served, caller, answer)
            case .publish(let news): story("  the windows see \(news)")
            case .store(_, let changes, _):
                for case .hidden(_, let number) in changes where served.place.plans[number] == nil {
                    served.place.plans[number] = served.place.lookedAt
                }
                served.effects.append(effect)
            case .forget:
                served.place.atForgetting = served.place.inode?.bytes.hash
                served.effects.append(effect)
            default: served.effects.append(effect)
            }
        }
    }

    private func answered(_ served: Engine.Served, _ caller: Int, _ answer: LocalFileCore.Answer) throws {
        guard let question = served.callers.removeValue(forKey: caller) else { return }
        switch (question, answer) {
        case (.open(let window), .opened):
            if !window.isPrivate, served.database?.meta.isPrivate ?? false {
                throw Violation("a window has what a private session has made")
            }
            window.isOpen = window.isAlive
            story("  \(window.name) has it open")
        case (.open(let window), .failed(let problem)):
            story("  \(window.name) cannot open it: \(problem)")
            (window.isAlive, window.asked) = (false, nil)
        case (.push(let window, _), .done) where !served.stored.contains(caller):
            throw Violation("an edit was answered that is not stored", window.name)
        case (.push(let window, _), .failed(let problem)): story("  the edit of \(window.name) fails: \(problem)")
        case (_, let answer): story("  answer: \(answer)")
        }
    }

    /// Performs one effect of one file of one engine.
    func work() throws {
        let ready = engines.filter { !$0.isEnded }.flatMap { engine in
            engine.files.values.sorted { $0.place.number < $1.place.number }.filter { served in
                served.effects.contains { !served.place.disk.isHung || !Self.needsDisk($0) }
            }.map { (engine, $0) }
        }
        guard let (engine, served) = ready.randomElement(using: &dice) else { return }
        let indices = served.effects.indices.filter { !served.place.disk.isHung || !Self.needsDisk(served.effects[$0]) }
        guard let index = isQuiet ? indices.first : indices.randomElement(using: &dice) else { return }
        let effect = served.effects.remove(at: index)
        do {
            if let result = try perform(effect, engine, served) { try feed(engine, served, result) }
        } catch is Killed {
            story("engine \(engine.number) is killed there")
            end(engine)
        }
    }

    struct Killed: Error {}

    /// The engine may be killed here.
    func step() throws {
        if !isQuiet, profile.kills > 0, chance(profile.kills, of: 100) { throw Killed() }
    }

    func fails() -> Bool { !isQuiet && profile.failures > 0 && chance(profile.failures, of: 100) }

    private static func needsDisk(_ effect: LocalFileCore.Effect) -> Bool {
        switch effect {
        case .look, .prepare, .exchange, .putBack, .inspect, .remove, .copy: true
        case .store, .forget, .removeEarlier, .publish, .answer: false
        }
    }

    private func perform(
        _ effect: LocalFileCore.Effect, _ engine: Engine, _ served: Engine.Served
    ) throws -> LocalFileCore.Input? {
        try step()
        switch effect {
        case .look(let ticket, let known):
            served.place.lookedAt = served.place.ledger.clock
            let result = try look(served, known)
            let beside = served.place.disk.names.keys.filter { $0.hasSuffix(".postilla") }
            return .looked(ticket, result, beside: Set(beside.map { "/d\(served.place.number)/\($0)" }))
        case .store(let ticket, let changes, let target):
            if fails() { return .notStored(ticket, reason: "the disk is full") }
            guard try commit(changes, to: target, engine, served) else {
                end(engine)
                return nil
            }
            try step()
            return .stored(ticket)
        case .prepare(let ticket, let plan):
            try served.place.ledger.checkPlan(plan, at: served.place.plans[plan.number] ?? 0)
            return .prepared(ticket, try prepare(served, plan, isCopy: false))
        case .copy(let ticket, let plan, _, _): return .copied(ticket, try prepare(served, plan, isCopy: true))
        case .exchange(let ticket, let intent, let expected):
            return .exchanged(ticket, try exchange(served, intent, expected))
        case .putBack(let ticket, let intent): return .exchanged(ticket, try putBack(served, intent))
        case .inspect(let ticket, let intent): return .inspected(ticket, inspect(served, intent))
        case .remove(let ticket, let paths):
            for path in paths.sorted() {
                if fails() { return .removed(ticket, isGone: false) }
                served.place.disk.set([served.place.name(of: path): nil])
                try step()
            }
            served.place.disk.sync()
            return .removed(ticket, isGone: true)
        case .forget(let ticket):
            if fails() { return .forgotten(ticket, false) }
            let present = kept[served.place.number] ?? inMemory[served.place.number]
            if hasLostLock, let present, present !== served.database || present.fence != engine.number {
                return .fenced(ticket)
            }
            try forget(served)
            return .forgotten(ticket, true)
        case .removeEarlier(let checksum):
            if served.place.earlier?.checksum == checksum { served.place.earlier = nil }
            return nil
        case .publish, .answer: return nil
        }
    }

    private func forget(_ served: Engine.Served) throws {
        let place = served.place
        let database = kept[place.number] ?? inMemory[place.number]
        story("the database of \(place.path) is removed")
        if let database {
            if database.meta.isPrivate {
                place.ledger.endedPrivately(Set((place.inode?.bytes.objects ?? []).map(\.value)))
            }
        }
        kept[place.number] = nil
        let rows = place.earlier?.rows.values.compactMap { $0.local?.value } ?? []
        place.ledger.forgot(kept: rows)
        if place.inode == nil || place.inode?.bytes.hash != place.atForgetting || database?.meta.isPrivate ?? true {
            place.ledger.replacedUnknown(place.inode?.bytes.objects ?? [], kept: Set(rows))
        }
        try step()
        inMemory[place.number] = nil
        served.database = nil
        served.isKept = false
    }
}
