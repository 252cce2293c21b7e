package import Annotations
import Merging
import PDFPages

/// Finds the records of one reading of a document again in another one, and gives them the ids that they have there.
///
/// A record is the same if it has the same name and kind; if it has the number of the object, in a copy that continues the
/// bytes of the document; or if author, kind, place and text are equal. Short names, which some programs give to one
/// annotation of each page, count only together with the author and one of place, text and time of creation. A reply is
/// the same only under the same annotation, unless its name says so. No record is found twice.
package struct RecordMatching {
    /// The ids in `known` of the records of the copy that are in both, by their ids in the copy.
    package private(set) var partners: [ByteOrdered: Record.ID] = [:]
    /// The records of the copy under their new ids, with the content that `known` has and what the copy changed in it.
    package private(set) var records: [Record] = []
    /// Ids that no record of `known` has.
    package private(set) var newIDs: Set<ByteOrdered> = []

    private let copy: DocumentReading
    private let known: DocumentReading
    private let mine: [RecordFacts]
    private let theirs: [RecordFacts]
    private var used: Set<Int> = []
    private var found: [Int: Int] = [:]
    /// How far places of equal annotations may be apart, in points.
    private static let tolerance = 1.0
    private static let tolerancePastAlignment = 14.0

    /// - Parameter pages: the pages of `known`, for files that hold less than a record.
    package init(of copy: DocumentReading, in known: DocumentReading, pages: [PageFrame]) {
        (self.copy, self.known) = (copy, known)
        theirs = copy.records.map { RecordFacts($0) }
        mine = known.records.map { RecordFacts($0) }
        match(theirs.indices.filter { !theirs[$0].isReply })
        match(theirs.indices.filter { theirs[$0].isReply })
        rename(pages)
    }

    private var distance: Double {
        copy.isAligned || known.isAligned ? Self.tolerancePastAlignment : Self.tolerance
    }

    private mutating func match(_ places: [Int]) {
        matchNumbers(places)
        matchNames(places)
        matchEqual(places, within: 0)
        matchEqual(places, within: distance)
    }

    private mutating func pair(_ place: Int, with partner: Int) {
        found[place] = partner
        used.insert(partner)
        partners[ByteOrdered(theirs[place].id)] = mine[partner].id
    }

    // MARK: Ways to find a record

    private mutating func matchNumbers(_ places: [Int]) {
        guard copy.sharesIDs else { return }
        var (byID, byNumber): ([ByteOrdered: Int], [ByteOrdered: Int]) = ([:], [:])
        for (index, record) in mine.enumerated() {
            byID[ByteOrdered(record.id)] = index
            // An annotation may have been given its name as its id.
            guard let number = record.record.content["pdfObjectId"]?.integer else { continue }
            byNumber[ByteOrdered("\(number)")] = index
        }
        for place in places {
            let number = ByteOrdered(theirs[place].id)
            guard let partner = byID[number] ?? byNumber[number], !used.contains(partner) else { continue }
            let (one, other) = (theirs[place], mine[partner])
            guard one.family == other.family else { continue }
            let names = (one.record.content["name"]?.string, other.record.content["name"]?.string)
            // The number of a deleted object may have been given to another annotation, and programs that have had the same
            // version open give the same numbers.
            if let name = names.0, let otherName = names.1, !name.isExactly(otherName),
                byID[number] == nil || !agrees(one, other)
            {
                continue
            }
            pair(place, with: partner)
        }
    }

    private mutating func matchNames(_ places: [Int]) {
        var byName: [ByteOrdered: [Int]] = [:]
        for (index, record) in mine.enumerated() {
            let names = Set(record.names(in: .records).map(ByteOrdered.init))
            for name in names { byName[name, default: []].append(index) }
        }
        let theirNames = places.flatMap { theirs[$0].names(in: copy.namingSource).map(ByteOrdered.init) }
        let counts = Dictionary(theirNames.map { ($0, 1) }, uniquingKeysWith: +)
        // Those of which more than the name is equal come first, because a name may be there twice: a record that was
        // restored under a new id has the name of the deleted one, which may still be in the file.
        for likeness in Likeness.allCases {
            for place in places where found[place] == nil {
                let one = theirs[place]
                for name in one.names(in: copy.namingSource) {
                    let key = ByteOrdered(name)
                    guard let candidates = byName[key] else { continue }
                    if likeness.isForNamesThatAreThereTwice, candidates.count == 1, counts[key] == 1 { continue }
                    let partner = candidates.first { index in
                        !used.contains(index) && mine[index].family == one.family
                            && isAlike(one, mine[index], named: name, likeness)
                    }
                    if let partner {
                        pair(place, with: partner)
                        break
                    }
                }
            }
        }
    }

    /// What two records of one name have in common besides it, the most first.
    private enum Likeness: CaseIterable {
        case contents, text, anything, name

        var isForNamesThatAreThereTwice: Bool { self == .contents || self == .text }
    }

    private func isAlike(
        _ one: RecordFacts, _ other: RecordFacts, named name: String, _ likeness: Likeness
    ) -> Bool {
        switch likeness {
        case .contents:
            one.page == other.page && one.text.isExactly(other.text)
                && one.record.content.changes(since: other.record.content).keys.allSatisfy { $0.text == "pdfObjectId" }
        case .text: one.text.isExactly(other.text) && agrees(one, other)
        case .anything: agrees(one, other)
        case .name: Self.isStrong(name)
        }
    }

    /// Whether a name is long enough not to be given twice by chance.
    private static func isStrong(_ name: String) -> Bool { name.utf8.count >= 16 }

    /// Whether something besides the name says that two records are the same.
    private func agrees(_ one: RecordFacts, _ other: RecordFacts) -> Bool {
        guard one.author.isExactly(other.author) else { return false }
        if isAtSamePlace(one, other, within: distance) { return true }
        if !one.text.isEmpty, one.text.isExactly(other.text), one.page == other.page { return true }
        return one.created != nil && one.created == other.created
    }

    private func isAtSamePlace(_ one: RecordFacts, _ other: RecordFacts, within distance: Double) -> Bool {
        guard one.isReply else { return one.isNear(other, within: distance) }
        guard let root = one.root, let answered = other.root, let partner = partners[ByteOrdered(root)] else {
            return false
        }
        return partner.isExactly(answered)
    }

    private mutating func matchEqual(_ places: [Int], within distance: Double) {
        var byLook: [Look: [Int]] = [:]
        for (index, record) in mine.enumerated().reversed() where !used.contains(index) {
            byLook[Look(record), default: []].append(index)
        }
        guard !byLook.isEmpty else { return }
        for place in places where found[place] == nil {
            let one = theirs[place]
            guard let candidates = byLook[Look(one)] else { continue }
            let choice = candidates.indices.reversed().first {
                isAtSamePlace(one, mine[candidates[$0]], within: distance)
            }
            guard let choice else { continue }
            pair(place, with: candidates[choice])
            byLook[Look(one)]?.remove(at: choice)
        }
    }

    private struct Look: Hashable {
        let (page, author, family, text): (Int?, ByteOrdered?, String, ByteOrdered)

        init(_ record: RecordFacts) {
            // A reply is where its annotation is.
            page = record.isReply ? nil : record.page
            author = record.author.map(ByteOrdered.init)
            family = record.family
            text = ByteOrdered(record.text)
        }
    }

    // MARK: Ids and contents

    private mutating func rename(_ pages: [PageFrame]) {
        var taken = Set(known.records.map { ByteOrdered($0.id) })
        var ids: [ByteOrdered: Record.ID] = partners
        let annotationsFirst = theirs.indices.sorted {
            (theirs[$0].isReply ? 1 : 0, $0) < (theirs[$1].isReply ? 1 : 0, $1)
        }
        for place in annotationsFirst where found[place] == nil {
            let id = newID(for: theirs[place], under: theirs[place].root.map { ids[ByteOrdered($0)] ?? $0 }, &taken)
            ids[ByteOrdered(theirs[place].id)] = id
            newIDs.insert(ByteOrdered(id))
        }
        records = theirs.indices.map { place in
            var record = theirs[place].record
            record.content = record.content.renamingTargets { ids[ByteOrdered($0)] ?? $0 }
            guard let partner = found[place] else {
                record.id = ids[ByteOrdered(record.id)] ?? record.id
                record.content = record.content.changing { $0["pdfObjectId"] = nil }
                return record
            }
            var result = mine[partner].record
            result.content = changed(record.content, mine[partner], pages)
            return result
        }
    }

    private func newID(for facts: RecordFacts, under root: Record.ID?, _ taken: inout Set<ByteOrdered>) -> Record.ID {
        let names = facts.names(in: copy.namingSource)
        if let name = names.last(where: { Self.isStrong($0) && Record.isValidID($0) && Int($0) == nil }),
            taken.insert(ByteOrdered(name)).inserted
        {
            return name
        }
        let content = facts.record.content.changing { object in
            for key in ["pdfObjectId", "updatedAt", "rootId", "postilla"] { object[key] = nil }
        }
        let name = "merge-" + Fingerprint.of(content.text + "\n" + (root ?? ""))
        var (id, count) = (name, 1)
        while !taken.insert(ByteOrdered(id)).inserted {
            count += 1
            id = "\(name)-\(count)"
        }
        return id
    }

    /// Returns the content that is known, with what the copy changed.
    private func changed(_ content: Content, _ partner: RecordFacts, _ pages: [PageFrame]) -> Content {
        let present = partner.record.content
        // What is known of it may be what both have.
        guard content.readInPart == nil, present.readInPart == nil else { return present }
        var result: Content
        if partner.isReply {
            result = KnownRecord.apply(KnownRecord.changedWords(of: content, in: present), to: present)
        } else if copy.source == .formsData {
            result = KnownRecord.merged(content, into: present, pages: pages)
        } else {
            var changes = content.changes(since: present)
            if copy.source == .pdf, !changes.isEmpty, known.source == .records, let page = partner.page,
                pages.indices.contains(page),
                // As it reads in a PDF that it was written into.
                let written = PDFAnnotation(asWritten: present, on: pages[page])?
                    .content(onPage: page, pages[page], pageCount: pages.count).0
            {
                let others = content.changes(since: written)
                if others.count < changes.count { changes = others }
            }
            if copy.isAligned { for key in Content.placeMembers { changes[ByteOrdered(key)] = nil } }
            result = KnownRecord.apply(changes, to: present)
        }
        if !copy.isAligned, !partner.isReply, content["pageIndex"]?.integer != present["pageIndex"]?.integer,
            content["pageIndex"] != nil
        {
            result = result.changing { $0["pageIndex"] = content["pageIndex"] }
        }
        guard result != present, let moment = content["updatedAt"] else { return result }
        return result.changing { $0["updatedAt"] = moment }
    }
}

extension Record {
    /// Returns the record at exactly the place of another one, if it is there within 1 pt: programs that write a file anew
    /// round numbers, and that is no change.
    package func atPlace(of other: Record) -> Record {
        guard content != other.content, RecordFacts(self).isNear(RecordFacts(other), within: 1) else { return self }
        let (mine, place) = (content.object, other.content.object)
        guard Content.placeMembers.contains(where: { mine[$0] != place[$0] && mine[$0] != nil && place[$0] != nil })
        else { return self }
        var record = self
        record.content = content.changing { object in
            for key in Content.placeMembers where object[key] != nil && place[key] != nil { object[key] = place[key] }
        }
        return record
    }
}

extension Content {
    /// Returns the members that differ, apart from stamps and the rounding of numbers; nil for one that is gone.
    func changes(since old: Content) -> [ByteOrdered: JSON?] {
        KnownRecord.changes(from: old, to: self).filter { key, value in
            guard let was = old[key.text], let value else { return true }
            return !was.isClose(to: value)
        }
    }
}
