public import Annotations
public import Authorization
public import InstantCore

/// An annotation or a comment in a document, including the user's unsent edits, with the operations allowed on it now.
/// A value: it does not change when the layer does.
///
/// The properties of ``Annotation`` are available directly: `annotation.text`, `annotation.pageIndex`.
@dynamicMemberLookup
public struct InstantRecord: Hashable, Sendable, Identifiable {
    public let record: Record
    /// The record, parsed for display.
    public let annotation: Annotation
    /// The delivery state of the user's own edits.
    public let delivery: DeliveryState
    /// The operations that the current grant allows on it (guide: accessing permissions).
    public let instantRecordOperations: RecordOperations

    init(_ shown: ShownRecord) {
        record = shown.record
        annotation = Annotation(shown.record)
        delivery = shown.delivery
        instantRecordOperations = shown.operations
    }

    public var id: Record.ID { record.id }

    public var content: Content { record.content }

    /// The group that permissions may name; nil is the null group.
    public var instantRecordGroup: String? { record.group }

    public subscript<Value>(dynamicMember path: KeyPath<Annotation, Value>) -> Value { annotation[keyPath: path] }
}
