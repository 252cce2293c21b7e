package import Annotations
import Merging
import PDFPages

/// Merges annotated copies of a document, one after the other: each copy is compared with the version that it comes from,
/// and its changes are applied to what the copies before it gave. So an annotation that two copies have appears once, and
/// what both changed is merged word by word.
///
/// Nothing is lost. Where two sides changed a text differently, the first one stays, and the other becomes a reply. A
/// second merge of the same copies into the result finds everything again and changes nothing.
package struct CopyMerge: Sendable {
    /// The records of the document as it was before the first copy.
    package let start: [Record]
    /// The merged records, in the order of the document, followed by what is new.
    package private(set) var records: [Record]
    /// What each copy changed or could not change, in the order of the copies.
    package private(set) var entries: [Entry] = []
    /// What became of the records of each copy.
    package private(set) var counts: [Counts] = []
    /// Where the new records come from, by their ids.
    package private(set) var origins: [ByteOrdered: Origin] = [:]

    /// - Parameters:
    ///   - document: what the copies are compared with: the annotations of the PDF.
    ///   - present: what the copies are merged into; nil for the document itself.
    ///   - pages: the pages of the document.
    ///   - writesPDF: whether the result becomes a PDF, in which members that PDF lacks are no change.
    package init(_ document: [Record], into present: [Record]? = nil, pages: [PageFrame], writesPDF: Bool) {
        self.pages = pages
        self.writesPDF = writesPDF
        start = present ?? document
        records = start
        known = [Known(records: document, ids: present.map { Self.ids(of: document, in: $0, pages) } ?? [:])]
    }

    /// Returns the ids that the document's annotations have in what the copies are merged into. Most keep the numbers of
    /// their objects in a layer, but those that this program wrote into the PDF have their ids.
    private static func ids(
        of document: [Record], in present: [Record], _ pages: [PageFrame]
    ) -> [ByteOrdered: Record.ID] {
        let matching = RecordMatching(
            of: DocumentReading(document, from: .pdf, sharesIDs: true), in: DocumentReading(present, from: .records),
            pages: pages)
        var ids = matching.partners
        let taken = Set(present.map { ByteOrdered($0.id) })
        for record in document where ids[ByteOrdered(record.id)] == nil && taken.contains(ByteOrdered(record.id)) {
            ids[ByteOrdered(record.id)] = "document-\(record.id)"
        }
        return ids
    }

    private let pages: [PageFrame]
    private let writesPDF: Bool
    /// The document, and the copies that were merged.
    private var known: [Known]
    /// New records whose author this merge has given.
    private var given: Set<ByteOrdered> = []

    private struct Known {
        let records: [Record]
        /// The ids of its records in the result; those that are not here stay.
        let ids: [ByteOrdered: Record.ID]
    }

    package mutating func add(_ copy: Copy) {
        counts.append(Counts())
        let ancestor = ancestor(of: copy)
        var theirs = found(copy, ancestor)
        let stored = Dictionary(records.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        // Who created a record is not part of a file.
        func withOwner(_ record: Record) -> Record {
            guard let mine = stored[ByteOrdered(record.id)] else { return record }
            var record = record
            (record.createdBy, record.updatedBy, record.group) = (mine.createdBy, mine.updatedBy, mine.group)
            return record
        }
        let base = ancestor.records.map(withOwner)
        theirs.records = theirs.records.map(withOwner)
        known.append(Known(records: copy.records, ids: theirs.ids))
        if !copy.knowsDeletions { tellMissing(base, theirs.records, stored) }
        for (record, own) in zip(theirs.records, copy.records) where stored[ByteOrdered(record.id)] == nil {
            origins[ByteOrdered(record.id)] = Origin(copy: counts.count - 1, id: own.id)
        }
        let merge = ThreeWayMerge(
            base: base, mine: records, theirs: theirs.records, knowsDeletions: copy.knowsDeletions)
        take(merge, theirs, from: copy)
    }

    /// Counts what somebody would have had to do to a version of the document to make the copy. The version that needs
    /// least is most likely where the copy comes from.
    package static func differences(of copy: Copy, from version: [Record], pages: [PageFrame]) -> Int {
        let matching = RecordMatching(
            of: DocumentReading(copy.records, from: copy.source, isAligned: copy.isAligned),
            in: DocumentReading(version, from: .pdf), pages: pages)
        let old = Dictionary(version.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let changed = matching.records.count { record in
            guard let was = old[ByteOrdered(record.id)] else { return true }
            return !record.atPlace(of: was).isSame(as: was)
        }
        return changed + version.count - matching.partners.count
    }

    /// Completes a record of the result.
    package mutating func change(_ id: Record.ID, _ change: (inout JSONObject) -> Void) {
        guard let place = records.firstIndex(where: { $0.id.isExactly(id) }) else { return }
        records[place].content = records[place].content.changing(change)
    }

    // MARK: The ids of the result

    private struct Version {
        /// As the file has them, and under the ids of the result.
        var raw: [Record]
        var records: [Record]
        var ids: [ByteOrdered: Record.ID]
    }

    private func ancestor(of copy: Copy) -> Version {
        guard let (records, place) = copy.ancestor.records else {
            let (records, ids) = (known[0].records, known[0].ids)
            return Version(raw: records, records: records.map { $0.renamed(ids) }, ids: ids)
        }
        let document = known[place]
        var ids = document.ids
        if records != document.records {
            // An earlier revision: what was deleted since has no record there.
            let matching = RecordMatching(
                of: DocumentReading(records, from: .pdf, sharesIDs: true),
                in: DocumentReading(document.records, from: .pdf), pages: pages)
            ids = [:]
            for (record, renamed) in zip(records, matching.records) {
                let id = matching.partners[ByteOrdered(record.id)] ?? renamed.id
                ids[ByteOrdered(record.id)] = document.ids[ByteOrdered(id)] ?? id
            }
        }
        return Version(raw: records, records: records.map { $0.renamed(ids) }, ids: ids)
    }

    private struct Found {
        var records: [Record] = []
        /// The ids of the result by those of the file.
        var ids: [ByteOrdered: Record.ID] = [:]
        /// New records whose author was given.
        var given: Set<ByteOrdered> = []
    }

    /// Finds the records of a copy in its ancestor, and the others in what the copies before it gave.
    private func found(_ copy: Copy, _ ancestor: Version) -> Found {
        let isRevision = copy.knowsDeletions
        let first = RecordMatching(
            of: DocumentReading(copy.records, from: copy.source, sharesIDs: isRevision, isAligned: copy.isAligned),
            in: DocumentReading(ancestor.raw, from: .pdf), pages: pages)
        let present = Set(records.map { ByteOrdered($0.id) })
        let old = Dictionary(ancestor.raw.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        var result = Found()
        var (new, roots): ([(place: Int, record: Record)], [Record]) = ([], [])
        for (place, record) in first.records.enumerated() {
            let isKnown = !first.newIDs.contains(ByteOrdered(record.id))
            let was = isRevision || !isKnown ? nil : old[ByteOrdered(record.id)]
            let record = (was.map(record.atPlace(of:)) ?? record).renamed(ancestor.ids)
            result.records.append(record)
            if !isKnown { new.append((place, record)) }
            if isKnown, present.contains(ByteOrdered(record.id)) { roots.append(record) }
        }
        // A name of this program's own: its author may have been given by an earlier merge.
        let named = records.filter { $0.content["name"]?.string?.begins(with: "merge-") == true }
        let given = given.union(named.map { ByteOrdered($0.id) })
        let second = NewRecords(
            new.map(\.record), beside: roots, from: copy, in: records, given: given, pages: pages)
        for (item, record) in zip(new, second.records) { result.records[item.place] = record }
        result.given = second.given
        // What answers a new record follows it.
        result.records = result.records.map { $0.renamed(second.renamed, targetsOnly: true) }
        for (record, own) in zip(result.records, copy.records) { result.ids[ByteOrdered(own.id)] = record.id }
        return result
    }

    // MARK: The result

    private mutating func take(_ merge: ThreeWayMerge, _ theirs: Found, from copy: Copy) {
        let present = Set(theirs.records.map { ByteOrdered($0.id) })
        var (kept, added, gone): ([ByteOrdered: Record], [Record], Set<ByteOrdered>) = ([:], [], [])
        var replies: [Record] = []
        let threads =
            merge.conflicts.isEmpty
            ? [:]
            : Dictionary(
                grouping: records.filter { $0.contentType == .comments }
            ) { ByteOrdered($0.content["rootId"]?.string ?? "") }
        for item in merge.items {
            let id = ByteOrdered(item.id)
            let result = item.result.map { settled($0, over: item.mine, from: copy) }
            if let result, item.mine == nil {
                added.append(result)
                if theirs.given.contains(id) { given.insert(id) }
            } else if let result {
                kept[id] = result
            } else {
                gone.insert(id)
            }
            let finding =
                item.outcome == .conflict
                ? conflict(item, in: copy, threads, &replies) : Self.finding(from: item.mine, to: result)
            tell(finding, of: result ?? item.mine ?? item.theirs, isInCopy: present.contains(id) && result != nil)
        }
        records = records.compactMap { record in
            gone.contains(ByteOrdered(record.id)) ? nil : kept[ByteOrdered(record.id)] ?? record
        }
        records += added + replies
    }

    private static func finding(from mine: Record?, to result: Record?) -> Entry.Finding? {
        switch (mine, result) {
        case (nil, nil): nil
        case (nil, _?): .added
        case (_?, nil): .deleted
        case (let mine?, let result?):
            result.isSame(as: mine) ? nil : .changed(result.content.members(changedSince: mine.content))
        }
    }

    private mutating func tell(_ finding: Entry.Finding?, of record: Record?, isInCopy: Bool) {
        let place = counts.count - 1
        guard let finding, let record else {
            if isInCopy { counts[place].unchanged += 1 }
            return
        }
        switch finding {
        case .added: counts[place].added += 1
        case .changed: counts[place].changed += 1
        case .deleted: counts[place].deleted += 1
        case .missing: counts[place].missing += 1
        case .keptDeleted, .conflict: counts[place].conflicts += 1
        }
        entries.append(Entry(copy: place, record: record, finding: finding))
    }

    /// A change that a PDF cannot hold is none.
    private func settled(_ result: Record, over mine: Record?, from copy: Copy) -> Record {
        guard writesPDF, copy.source == .records, let mine, result.content != mine.content,
            let page = mine.content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }), pages.indices.contains(page),
            result.content["pageIndex"] == mine.content["pageIndex"],
            let one = PDFAnnotation(asWritten: result.content, on: pages[page]),
            let other = PDFAnnotation(asWritten: mine.content, on: pages[page]), one == other
        else { return result }
        return mine
    }

    /// Makes replies of the texts that lost a conflict.
    ///
    /// - Returns: nil for a conflict that an earlier merge has settled with these replies.
    private func conflict(
        _ item: ThreeWayMerge.Item, in copy: Copy, _ threads: [ByteOrdered: [Record]], _ replies: inout [Record]
    ) -> Entry.Finding? {
        guard let mine = item.mine, let theirs = item.theirs, !item.merge.members.isEmpty else {
            return .keptDeleted(byCopy: item.theirs == nil)
        }
        var (isSettled, new): (Bool, [Record.ID]) = (true, [])
        for member in item.merge.members {
            guard let text = ConflictReply(member, of: mine, theirs, in: copy) else {
                isSettled = false
                continue
            }
            let thread = threads[ByteOrdered(text.root)] ?? []
            guard !thread.contains(where: text.isHeld(by:)), !replies.contains(where: text.isHeld(by:)) else {
                continue
            }
            isSettled = false
            replies.append(text.record)
            new.append(text.record.id)
        }
        guard !isSettled else { return nil }
        return .conflict(members: item.merge.members.sorted(), mine: mine, theirs: theirs, replies: new)
    }

    private mutating func tellMissing(_ base: [Record], _ theirs: [Record], _ stored: [ByteOrdered: Record]) {
        let found = Set(theirs.map { ByteOrdered($0.id) })
        for record in base where !found.contains(ByteOrdered(record.id)) && !Annotation(record).isHidden {
            guard let mine = stored[ByteOrdered(record.id)] else { continue }
            tell(.missing, of: mine, isInCopy: false)
        }
    }
}

extension CopyMerge {
    /// One annotated copy.
    package struct Copy: Sendable {
        package var records: [Record]
        package var source: DocumentReading.Source
        package var ancestor: Ancestor
        /// Whether its annotations were found again by their words in another edition.
        package var isAligned: Bool
        /// The author of what the copy adds without one.
        package var author: String?

        package init(
            _ records: [Record], from source: DocumentReading.Source, ancestor: Ancestor = .none,
            isAligned: Bool = false, author: String? = nil
        ) {
            (self.records, self.source, self.ancestor) = (records, source, ancestor)
            (self.isAligned, self.author) = (isAligned, author)
        }

        var knowsDeletions: Bool { if case .revision = ancestor { true } else { false } }
    }

    /// The version that a copy comes from.
    package enum Ancestor: Sendable {
        /// The document, as far as one can tell. What the copy lacks may be something that its program dropped.
        case none
        /// The records of the longest revision that the copy shares with the document (0) or with an earlier copy (1…).
        case revision([Record], of: Int)
        /// The records of the revision that the copy is most like, see ``CopyMerge/differences(of:from:pages:)``. It shares
        /// no bytes, so what the copy lacks proves nothing.
        case likely([Record], of: Int)

        var records: ([Record], of: Int)? {
            switch self {
            case .none: nil
            case .revision(let records, let place), .likely(let records, let place): (records, place)
            }
        }
    }

    package struct Origin: Hashable, Sendable {
        /// The index of the copy.
        package var copy: Int
        /// The record's id there.
        package var id: Record.ID
    }

    package struct Entry: Sendable {
        package enum Finding: Sendable {
            case added
            /// With the names of the members that differ.
            case changed([String])
            case deleted
            /// Missing in the copy, which does not prove that somebody deleted it.
            case missing
            /// One side deleted it, the other changed or answered it.
            case keptDeleted(byCopy: Bool)
            /// Both changed these members differently. The replies hold their texts.
            case conflict(members: [String], mine: Record, theirs: Record, replies: [Record.ID])
        }

        /// The index of the copy.
        package var copy: Int
        package var record: Record
        package var finding: Finding
    }

    package struct Counts: Hashable, Sendable {
        package var added = 0
        package var changed = 0
        package var deleted = 0
        package var unchanged = 0
        package var conflicts = 0
        package var missing = 0
    }
}

extension Record {
    /// Returns the record under other ids: its own, unless only targets are renamed, and those of what it answers.
    func renamed(_ ids: [ByteOrdered: Record.ID], targetsOnly: Bool = false) -> Record {
        guard !ids.isEmpty else { return self }
        var record = self
        if !targetsOnly { record.id = ids[ByteOrdered(id)] ?? id }
        record.content = content.renamingTargets { ids[ByteOrdered($0)] ?? $0 }
        return record
    }
}

extension Content {
    /// Returns the names of the members that differ, without stamps.
    func members(changedSince old: Content) -> [String] {
        old.object.keys(differingFrom: object, except: Record.stamps).sorted()
    }
}
