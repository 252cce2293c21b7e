import Annotations
import PDFPages

/// The records that a copy has and its ancestor lacks: found in what earlier copies gave, or added.
struct NewRecords {
    /// In the order of the new records, under the ids of the result.
    private(set) var records: [Record] = []
    /// The ids of the result, by those that the records had.
    private(set) var renamed: [ByteOrdered: Record.ID] = [:]
    /// The records that are in no earlier copy and got the given author.
    private(set) var given: Set<ByteOrdered> = []

    /// - Parameters:
    ///   - roots: records of the copy that have the ids of the result; replies may stand under them.
    ///   - others: the ids in `present` whose author an earlier copy or merge may have been given.
    init(
        _ new: [Record], beside roots: [Record], from copy: CopyMerge.Copy, in present: [Record],
        given others: Set<ByteOrdered>, pages: [PageFrame]
    ) {
        guard !new.isEmpty else { return }
        func match(_ records: [Record], in known: [Record]) -> RecordMatching {
            // A PDF compares its annotations as they are in one; that the ids are names matters more.
            let reading = DocumentReading(
                roots + records, from: copy.source, sharesIDs: true, isAligned: copy.isAligned, idsAreNames: true)
            return RecordMatching(of: reading, in: DocumentReading(known, from: .records), pages: pages)
        }
        let first = match(new.map { $0.authored(by: copy.author) }, in: present)
        records = Array(first.records.dropFirst(roots.count))
        // Who made an annotation without an author is known only from the option. The same one in another copy has none,
        // or got another name.
        let unknown = new.indices.filter { place in
            first.newIDs.contains(ByteOrdered(records[place].id)) && new[place].hasNoAuthor
        }
        if !unknown.isEmpty, !others.isEmpty {
            let taken = Set(first.partners.values.map(ByteOrdered.init))
            let rootIDs = Set(roots.map { ByteOrdered($0.id) })
            let left = present.filter { record in
                let id = ByteOrdered(record.id)
                return rootIDs.contains(id) || !taken.contains(id)
            }
            let authors = Dictionary(present.map { (ByteOrdered($0.id), $0.content["creatorName"]) }) { one, _ in one }
            let second = match(
                unknown.map { new[$0] }, in: left.map { others.contains(ByteOrdered($0.id)) ? $0.withoutAuthor : $0 })
            for (place, record) in zip(unknown, second.records.dropFirst(roots.count))
            where !second.newIDs.contains(ByteOrdered(record.id)) {
                records[place] = record
                records[place].content = record.content.changing {
                    $0["creatorName"] = authors[ByteOrdered(record.id)] ?? nil
                }
            }
        }
        let known = Dictionary(present.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        records = records.map { record in known[ByteOrdered(record.id)].map(record.atPlace(of:)) ?? record }
        for (record, old) in zip(records, new) {
            let id = ByteOrdered(record.id)
            if !record.id.isExactly(old.id) { renamed[ByteOrdered(old.id)] = record.id }
            if copy.author != nil, old.hasNoAuthor, known[id] == nil { given.insert(id) }
        }
    }
}

extension Record {
    fileprivate var hasNoAuthor: Bool { content["creatorName"]?.string?.isEmpty != false }

    /// Returns the record with an author if it has none.
    fileprivate func authored(by name: String?) -> Record {
        guard let name, hasNoAuthor else { return self }
        return setting(author: .string(name))
    }

    fileprivate var withoutAuthor: Record { setting(author: nil) }

    private func setting(author: JSON?) -> Record {
        var record = self
        record.content = content.changing { $0["creatorName"] = author }
        return record
    }
}
