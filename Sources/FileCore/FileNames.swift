package import Annotations
import Merging

/// Finds the annotations of a file among records that are known.
package protocol RecordComparing: Sendable {
    /// Returns the known records that a file has, each with what the file changed in it, by the numbers of their objects.
    ///
    /// - Parameters:
    ///   - file: the file's records, by the numbers of their objects.
    ///   - sharesIDs: whether the file continues the one that gave the known records their numbers.
    ///   - isMoved: whether the places of the known records were found by their words.
    func partners(of file: [Record], in known: [Record], sharesIDs: Bool, isMoved: Bool) -> [ByteOrdered: Record]
}

/// The ids of the annotations of a file.
///
/// A name (`NM`) from any program is the annotation's id, so that each reading of the file gives the same id. Names are
/// unique only within a page: if several pages have one, it is the id of the annotation with the lowest object number. All
/// other annotations are named by their object numbers. The value of a form field is named after its widget.
package enum FileNames {
    /// Returns the ids, by the numbers of the objects.
    package static func ids(of records: [Record]) -> [ByteOrdered: Record.ID] {
        struct Place: Hashable {
            let (page, name): (Int64?, ByteOrdered)
        }
        func place(_ record: Record) -> Place? {
            record.content["name"]?.string.map {
                Place(page: record.content["pageIndex"]?.integer, name: ByteOrdered($0))
            }
        }
        var counts: [Place: Int] = [:]
        let (annotations, values) = divided(records)
        for record in annotations { place(record).map { counts[$0, default: 0] += 1 } }
        var ids: [ByteOrdered: Record.ID] = [:]
        var taken: Set<ByteOrdered> = []
        for record in annotations.sorted(by: isBefore) {
            var id = record.id
            if let place = place(record), counts[place] == 1, canBeID(place.name.text), !taken.contains(place.name) {
                id = place.name.text
            }
            taken.insert(ByteOrdered(id))
            ids[ByteOrdered(record.id)] = id
        }
        for value in values { ids[ByteOrdered(value.id)] = self.id(ofValue: value, ids) }
        return ids
    }

    /// The name of a value is that of its field, which is another thing than that of an annotation.
    private static func divided(_ records: [Record]) -> (annotations: [Record], values: [Record]) {
        (records.filter { !isValue($0) }, records.filter(isValue))
    }

    private static func isValue(_ record: Record) -> Bool {
        record.content["type"]?.string == Content.formFieldValueType
    }

    /// - Parameter ids: those of the widgets, by the numbers of their objects.
    private static func id(ofValue value: Record, _ ids: [ByteOrdered: Record.ID]) -> Record.ID {
        guard let widget = value.id.dropping(suffix: Content.formFieldValueID(of: "")),
            let id = ids[ByteOrdered(String(widget))]
        else { return value.id }
        return Content.formFieldValueID(of: id)
    }

    /// A number is the id of an object.
    private static func canBeID(_ name: String) -> Bool { Record.isValidID(name) && Int(name) == nil }

    private static func isBefore(_ one: Record, _ other: Record) -> Bool {
        guard let first = Int(one.id), let second = Int(other.id) else { return one.id < other.id }
        return first < second
    }

    /// Returns the records of a file under the ids that they have among the known ones, or that the file gives them.
    ///
    /// - Parameter taken: ids that no other record may get.
    static func named(
        _ file: [Record], like known: [Record], by policy: any RecordComparing, sharesIDs: Bool, isMoved: Bool = false,
        taken: Set<ByteOrdered>
    ) -> [Record] {
        let partners = policy.partners(of: file, in: known, sharesIDs: sharesIDs, isMoved: isMoved)
        let names = ids(of: file)
        var used = taken.union(known.map { ByteOrdered($0.id) })
        var new: [ByteOrdered: Record.ID] = [:]
        let (annotations, values) = divided(file)
        for record in annotations.sorted(by: isBefore) + values {
            let number = ByteOrdered(record.id)
            if let partner = partners[number] {
                new[number] = partner.id
                continue
            }
            var (id, count) = (names[number] ?? record.id, 1)
            if isValue(record) { id = self.id(ofValue: record, new) }
            while !used.insert(ByteOrdered(id)).inserted {
                id = count == 1 ? record.id : "\(record.id)-\(count)"
                count += 1
            }
            new[number] = id
        }
        return file.map { record in
            if let partner = partners[ByteOrdered(record.id)] { return partner }
            var record = record
            record.content = record.content.renamingTargets { new[ByteOrdered($0)] ?? $0 }
            record.id = new[ByteOrdered(record.id)] ?? record.id
            return record
        }
    }
}
