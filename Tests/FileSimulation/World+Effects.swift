import Annotations
import FileCore

// The effects on the PDF itself, step by step.
extension World {
    func look(_ served: Engine.Served, _ known: LocalFileState.Known) throws -> LocalFileCore.Look {
        let place = served.place
        if fails() { return .failed(.failed("input/output error")) }
        guard let inode = place.inode else { return .failed(.missing) }
        if profile.showsWriters, let writer = inode.writer {
            // It is waited for a second.
            guard chance(1, of: 2) || isQuiet else { return .failed(.changing) }
            finish(writer, place)
        }
        let (version, bytes) = (inode.version, inode.bytes)
        if version == known.version { return .same }
        if let old = known.version, version.hasBytes(of: old) { return .touched(version) }
        copies[bytes.hash] = bytes
        try gap(place)
        try step()
        // What is hashed last may be something else than what was read first.
        let isSettled = place.inode?.version == version
        let read = isSettled ? version : place.inode?.version ?? version
        story("  the engine reads \(bytes.objects.map { "\($0.value)" }), \(bytes.hash.prefix(6))")
        return .read(
            FileReading(
                version: read, records: bytes.objects.map(\.record), origin: origin(bytes, known),
                revisions: bytes.beginnings.dropLast().map { FileVersion.Contents(size: $0.size, sha256: $0.hash) },
                isSettled: isSettled, isDamaged: bytes.isDamaged, synced: served.database?.written ?? [:]))
    }

    private func origin(_ bytes: Bytes, _ known: LocalFileState.Known) -> FileReading.Origin {
        for beginning in bytes.beginnings.reversed() {
            let contents = FileVersion.Contents(size: beginning.size, sha256: beginning.hash)
            if known.version?.contents == contents { return .continues }
            if known.earlier.versions.contains(contents) {
                return .continuesEarlier(beginning.objects.map(\.record))
            }
        }
        guard let old = known.version.flatMap({ copies[$0.sha256] }), old.edition != bytes.edition else {
            return .anew(nil)
        }
        return .anew(Moves(isOtherDocument: others.contains(bytes.edition)))
    }

    func prepare(
        _ served: Engine.Served, _ plan: LocalFileCore.WritePlan, isCopy: Bool
    ) throws -> LocalFileCore.Prepared {
        let place = served.place
        let name = place.name(of: plan.hidden)
        if fails() { return .failed(.failed("no descriptors")) }
        let source = plan.source == .copy ? copies[plan.version.sha256] : place.inode?.bytes
        guard let source else { return .failed(.missing) }
        guard source.hash == plan.version.sha256 else { return .changed }
        var (objects, unwritten) = (source.objects, [Record.ID]())
        let records = (served.database?.records.values.compactMap(\.base) ?? []).sorted { $0.id < $1.id }
        let partners = Policy().partners(
            of: objects.map(\.record), in: records, sharesIDs: plan.sharesIDs, isMoved: false)
        for (id, row) in plan.rows.sorted(by: { $0.key < $1.key }) {
            guard !isPoison(row.local?.value) else {
                unwritten.append(id.text)
                continue
            }
            let index = objects.firstIndex { partners[ByteOrdered("\($0.number)")]?.id == id.text }
            switch (index, row.local) {
            case (let index?, let local?): objects[index].value = local.value
            case (let index?, nil): objects.remove(at: index)
            case (nil, let local?):
                let number = (source.objects + objects).map(\.number).max().map { $0 + 1 } ?? 10
                objects.append(Object(number: number, name: id.text, page: local.page, value: local.value))
            case (nil, nil): break
            }
        }
        var bytes = source
        if profile.isRewritten || plan.isCompact {
            for index in objects.indices { objects[index].number = index + 3 }
            bytes.parts = [part(objects)]
        } else {
            bytes.parts.append(part(objects))
        }
        let inode = Inode(next(), Bytes(parts: [part([], isHalf: true)]), at: now.milliseconds)
        place.disk.set([name: inode])
        try step()
        try gap(place)
        if fails() {
            if chance(1, of: 2) { place.disk.set([name: nil]) }
            return .failed(.failed("no space left on device"))
        }
        inode.bytes = bytes
        try step()
        inode.durable = bytes
        place.disk.sync()
        try step()
        if isCopy { place.disk.set([name: nil]) }
        copies[bytes.hash] = bytes
        let keepsIDs = bytes.parts.starts(with: source.parts)
        if !profile.isRewritten, !plan.isCompact, !keepsIDs { throw Violation("the bytes of the file do not stay") }
        story("  prepared \(bytes.objects.map { "\($0.value)" }), \(bytes.hash.prefix(6))")
        return .made(inode.version, keepsIDs: keepsIDs, unwritten: unwritten)
    }

    func exchange(
        _ served: Engine.Served, _ intent: LocalFileState.Intent, _ expected: FileVersion.Contents?
    ) throws -> LocalFileCore.Exchange {
        let place = served.place
        let name = place.name(of: intent.hidden)
        if fails() { return .unclear(.failed("input/output error")) }
        if profile.showsWriters, let writer = place.inode?.writer { finish(writer, place) }
        if let expected {
            guard let inode = place.inode else { return .missing }
            guard inode.version.hasBytes(of: expected) else { return .changed }
        } else if place.inode != nil {
            return .changed
        }
        try step()
        // Without an exchange nothing can be put back.
        if profile.canExchange, expected != nil { try gap(place) }
        guard let new = place.disk[name] else { return .unclear(.failed("no such file")) }
        let old = place.inode
        if expected != nil, old == nil { return .unclear(.missing) }
        place.disk.set([Place.file: new, name: profile.canExchange ? old : nil])
        place.backups.append(new.bytes)
        place.ledger.published(new.bytes.objects)
        story("  exchanged: \(old.map { "\($0.bytes.hash.prefix(6))" } ?? "nothing") comes out")
        if let old, old.bytes.hash != expected?.sha256 { place.displaced = old }
        try step()
        if fails() { return .unclear(.failed("the folder could not be synced")) }
        place.disk.sync()
        try step()
        if profile.showsWriters, let writer = old?.writer { finish(writer, place) }
        if fails() { return .unclear(.failed("input/output error")) }
        guard profile.canExchange, let old else { return .done(nil) }
        return .done(old.version.contents)
    }

    func putBack(_ served: Engine.Served, _ intent: LocalFileState.Intent) throws -> LocalFileCore.Exchange {
        let place = served.place
        let name = place.name(of: intent.hidden)
        if fails() { return .unclear(.failed("input/output error")) }
        guard let other = place.disk[name] else { return .unclear(.failed("no such file")) }
        story("  put back: \(other.bytes.hash.prefix(6))")
        // If other programs saved both files, only the modification time tells which is newer.
        if hasJumpedBack, let out = place.inode?.bytes, copies[out.hash] == nil {
            place.ledger.lost(out, to: other.bytes)
        }
        place.disk.set([Place.file: other, name: place.inode])
        if place.displaced === other { place.displaced = nil }
        if let out = place.disk[name], copies[out.bytes.hash] == nil { place.displaced = out }
        try step()
        if fails() { return .unclear(.failed("the folder could not be synced")) }
        place.disk.sync()
        return .done(place.disk[name]?.version.contents)
    }

    func inspect(_ served: Engine.Served, _ intent: LocalFileState.Intent) -> LocalFileCore.Inspection {
        let place = served.place
        if fails() { return .failed(.failed("too many open files")) }
        let hidden = place.disk[place.name(of: intent.hidden)]
        if profile.showsWriters {
            for inode in [place.inode, hidden] { if let writer = inode?.writer { finish(writer, place) } }
        }
        let file = place.inode
        let isContinued = file?.bytes.beginnings.dropLast().contains { $0.hash == intent.version.sha256 } ?? false
        return .found(file: file?.version, hidden: hidden?.version, isContinued: isContinued)
    }
}
