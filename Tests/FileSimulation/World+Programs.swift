import Annotations
import FileCore
import TestSupport

// What other programs, and people with their tools, do to the file.
extension World {
    func load(_ place: Place) {
        let program = dice.pick(place.programs)
        if program.rest != nil { return finish(program, place) }
        guard let bytes = place.inode?.bytes, !bytes.isDamaged, place.inode?.writer == nil else { return }
        program.loaded = bytes
        story("\(program.name) opens \(place.path): \(bytes.objects.map { "\($0.value)" })")
    }

    func save(_ place: Place) throws {
        let program = dice.pick(place.programs)
        if program.rest != nil { return finish(program, place) }
        guard let loaded = program.loaded, place.inode != nil else { return load(place) }
        if let writer = place.inode?.writer { finish(writer, place) }
        var objects = loaded.objects
        var made: [(Object.Value, Object.Value?)] = []
        var gone: [Object.Value] = []
        for _ in 0..<Int.random(in: 1...2, using: &dice) {
            switch Int.random(in: 0..<3, using: &dice) {
            case 0 where !objects.isEmpty:
                let index = objects.indices.randomElement(using: &dice) ?? 0
                guard !made.contains(where: { $0.0 == objects[index].value }) else { continue }
                if objects[index].name == nil { place.ledger.wasTakenElsewhere(objects[index].value) }
                gone.append(objects.remove(at: index).value)
            case 1 where !objects.isEmpty:
                let index = objects.indices.randomElement(using: &dice) ?? 0
                guard !made.contains(where: { $0.0 == objects[index].value }) else { continue }
                let value = place.ledger.newText(of: objects[index].value.note)
                // What has no name and is written anew cannot be told from something new.
                if objects[index].name == nil { place.ledger.wasTakenElsewhere(objects[index].value) }
                made.append((value, objects[index].value))
                objects[index].value = value
            default:
                let value = place.ledger.newNote()
                made.append((value, nil))
                let number = (objects.map(\.number).max() ?? 9) + 1
                objects.append(Object(number: number, name: newName(place, number % 2), page: number % 2, value: value))
            }
        }
        let isAnew = chance(1, of: 2)
        var bytes = loaded
        if isAnew {
            var numbers = Array(1...max(1, objects.count + 5))
            numbers.shuffle(using: &dice)
            for index in objects.indices { objects[index].number = numbers[index] }
            bytes.parts = [part(objects)]
        } else {
            bytes.parts.append(part(objects))
        }
        story(
            "\(program.name) saves \(isAnew ? "anew" : "by appending"): "
                + "\(objects.map { "\($0.value) \($0.number) \($0.name ?? "-")" }), \(bytes.hash.prefix(6))")
        if isAnew || !place.ledger.showsOrigin(bytes) { place.ledger.wroteAnew(objects) }
        // An annotation without a name of its own that was changed meanwhile may appear both as it was and as it is.
        let names = Dictionary(grouping: objects.compactMap(\.name), by: \.self)
        for object in objects where place.ledger.isOver(object.value) {
            if let name = object.name, names[name]?.count == 1 { continue }
            place.ledger.wasTakenElsewhere(object.value)
        }
        program.loaded = bytes
        replacing(place, by: bytes)
        let events = (made, gone)
        if chance(1, of: 4), let inode = place.inode {
            begin(program, place, inode, bytes, events)
            return
        }
        place.ledger.saved(
            bytes.hash, wasKnown: place.ledger.knows(loaded), made: made, deleted: gone, by: program.name)
        put(bytes, place, inPlace: chance(1, of: 2))
    }

    /// Puts bytes at the path of the file.
    private func put(_ bytes: Bytes, _ place: Place, inPlace: Bool) {
        let inode: Inode
        if inPlace, let old = place.inode {
            inode = old
            inode.bytes = bytes
            inode.changed = now.milliseconds
        } else {
            inode = Inode(next(), bytes, at: now.milliseconds)
            place.disk.set([Place.file: inode])
        }
        passTime(1)
        if chance(1, of: 2) {
            inode.durable = bytes
            place.disk.sync()
        }
        place.backups.append(bytes)
    }

    /// Writes the first half in place.
    private func begin(
        _ program: Program, _ place: Place, _ inode: Inode, _ bytes: Bytes,
        _ events: ([(Object.Value, Object.Value?)], [Object.Value])
    ) {
        var half = bytes
        let last = half.parts.removeLast()
        half.parts.append(
            Bytes.Part(
                id: last.id, size: last.size / 2,
                objects: half.parts.last.map(\.objects) ?? Array(last.objects.prefix(last.objects.count / 2)),
                isHalf: true))
        story("\(program.name) has written half of it")
        inode.bytes = half
        inode.changed = now.milliseconds
        inode.writer = program
        (program.rest, program.inode, program.events) = (bytes, inode, events)
    }

    func finish(_ program: Program, _ place: Place) {
        guard let rest = program.rest, let inode = program.inode else { return }
        program.rest = nil
        program.inode = nil
        inode.writer = nil
        guard place.inode === inode || (profile.showsWriters && place.disk.names.values.contains { $0 === inode })
        else {
            // It has written into a file that the engine has put aside, and could not be seen. It does not know that, and what
            // it has replaced goes with what it saves next.
            for value in program.events.0.compactMap(\.1) + program.events.1 { place.ledger.wasTakenElsewhere(value) }
            place.ledger.lost(rest, to: nil)
            return
        }
        story("\(program.name) writes the rest")
        if place.ledger.showsOrigin(rest) == false || rest.parts.count == 1 { place.ledger.wroteAnew(rest.objects) }
        inode.bytes = rest
        inode.changed = now.milliseconds
        passTime(1)
        let beginning = Bytes(parts: rest.parts.dropLast(), edition: rest.edition)
        let wasKnown = rest.parts.count > 1 && place.ledger.knows(beginning)
        place.ledger.saved(
            rest.hash, wasKnown: wasKnown, made: program.events.0, deleted: program.events.1, by: program.name)
        place.backups.append(rest)
    }

    /// The file at the path is about to be replaced by something else than the engine's work.
    func replacing(_ place: Place, by bytes: Bytes?) {
        if let old = place.inode?.bytes {
            place.ledger.lost(old, to: bytes)
            if let bytes, place.ledger.hasForgotten(old) { place.ledger.wroteAnew(bytes.objects) }
        }
        if let displaced = place.displaced {
            place.ledger.lost(displaced.bytes, to: bytes)
            place.displaced = nil
        }
        if let bytes, others.contains(bytes.edition) {
            // Whatever was in the file belongs to the old document.
            let values = place.backups.filter { $0.edition != bytes.edition }.flatMap { $0.objects.map(\.value) }
            place.ledger.replacedDocument(values)
        }
        guard kept[place.number] == nil, inMemory[place.number] == nil else { return }
        let rows = place.earlier?.rows.values.compactMap { $0.local?.value } ?? []
        place.ledger.replacedUnknown(bytes?.objects ?? [], kept: Set(rows))
    }

    func restore(_ place: Place) {
        if let writer = place.inode?.writer { finish(writer, place) }
        let bytes = dice.pick(place.backups)
        story("somebody puts an old version back: \(bytes.objects.map { "\($0.value)" }), \(bytes.hash.prefix(6))")
        replacing(place, by: bytes)
        if !place.ledger.showsOrigin(bytes) { place.ledger.wroteAnew(bytes.objects) }
        place.ledger.restored(bytes.objects)
        let inode = Inode(next(), bytes, at: now.milliseconds)
        inode.durable = bytes
        place.disk.set([Place.file: inode])
        place.disk.sync()
        passTime(1)
    }

    func typeset(_ place: Place) {
        if let writer = place.inode?.writer { finish(writer, place) }
        guard place.inode != nil else { return }
        let bytes = Bytes(parts: [part([])], edition: Int(next()))
        let isOther = chance(1, of: 3)
        if isOther { others.insert(bytes.edition) }
        story("\(place.path) is typeset anew\(isOther ? ", as another document" : "")")
        replacing(place, by: bytes)
        put(bytes, place, inPlace: false)
    }

    func remove(_ place: Place) {
        guard place.inode != nil else { return restore(place) }
        if let writer = place.inode?.writer { finish(writer, place) }
        story("somebody removes \(place.path)")
        replacing(place, by: nil)
        place.disk.set([Place.file: nil])
        place.disk.sync()
    }

    /// Something that comes between two steps of the engine.
    func gap(_ place: Place) throws {
        guard !isQuiet, chance(profile.gaps, of: 100) else { return }
        switch Int.random(in: 0..<6, using: &dice) {
        case 0 where profile.weights[.restore, default: 0] > 0: restore(place)
        case 1 where profile.weights[.remove, default: 0] > 0: remove(place)
        case 2: load(place)
        default: try save(place)
        }
    }
}

/// A text that nothing of is found again.
struct Moves: WordMoves {
    let isOtherDocument: Bool

    func move(_ records: [Record], lost: [ByteOrdered: LostMark]) -> MovedRecords {
        MovedRecords(records: records, lost: lost)
    }
}
