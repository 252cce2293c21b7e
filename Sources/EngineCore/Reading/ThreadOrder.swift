package import Annotations

extension [Record] {
    /// As a thread is read: in the order of creation, and of ids where moments are the same or missing.
    package func inOrderOfCreation() -> [Record] {
        let keyed = map { record in
            (made: Annotation(record).createdAt?.milliseconds ?? .min, id: ByteOrdered(record.id), record: record)
        }
        return keyed.sorted { ($0.made, $0.id) < ($1.made, $1.id) }.map(\.record)
    }
}
