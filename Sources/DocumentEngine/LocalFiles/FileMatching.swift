import Annotations
import FileCore
import Interchange
import Synchronization

/// Finds the annotations of a file among the records that are known, as ``RecordMatching`` does. Form fields are found by
/// their names.
///
/// The core keeps it for its whole life, and the pages of its file change.
final class FileMatching: RecordComparing {
    private let current: Mutex<[PageFrame]>

    init(frames: [PageFrame] = []) { current = Mutex(frames) }

    var frames: [PageFrame] { current.withLock { $0 } }

    /// Sets the pages of the file that is compared next.
    func setFrames(_ frames: [PageFrame]) { current.withLock { $0 = frames } }

    func partners(of file: [Record], in known: [Record], sharesIDs: Bool, isMoved: Bool) -> [ByteOrdered: Record] {
        let annotations = file.filter { $0.contentType != .formFields }
        let matching = RecordMatching(
            of: DocumentReading(annotations, from: .pdf, sharesIDs: sharesIDs),
            in: DocumentReading(
                known.filter { $0.contentType != .formFields }, from: .records, isAligned: isMoved), pages: frames)
        // A program that rewrites a file may round numbers. That is not a change.
        let places = isMoved ? Dictionary(known.map { (ByteOrdered($0.id), $0) }) { first, _ in first } : [:]
        var partners = values(of: file, in: known)
        for (record, found) in zip(annotations, matching.records)
        where matching.partners[ByteOrdered(record.id)] != nil {
            partners[ByteOrdered(record.id)] = places[ByteOrdered(found.id)].map(found.atPlace(of:)) ?? found
        }
        return partners
    }

    /// A field with several widgets has a value for each, in the order of the known ones.
    private func values(of file: [Record], in known: [Record]) -> [ByteOrdered: Record] {
        var ids: [ByteOrdered: [Record.ID]] = [:]
        for record in known.reversed() where record.contentType == .formFields {
            ids[ByteOrdered(record.content["name"]?.string ?? ""), default: []].append(record.id)
        }
        var partners: [ByteOrdered: Record] = [:]
        for record in file where record.contentType == .formFields {
            guard let id = ids[ByteOrdered(record.content["name"]?.string ?? "")]?.popLast() else { continue }
            partners[ByteOrdered(record.id)] = Record(id: id, content: record.content)
        }
        return partners
    }
}
