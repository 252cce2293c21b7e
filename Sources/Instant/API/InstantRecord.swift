public import Annotations
public import Authorization
public import InstantCore

/// An annotation or a comment as it stands in a document: own unsent edits included, with what may be done to it now.
/// A value: it does not change when the layer does.
///
/// What ``Annotation`` has can be asked of it directly: `annotation.text`, `annotation.pageIndex`.
@dynamicMemberLookup
public struct InstantRecord: Hashable, Sendable, Identifiable {
    public let record: Record
    /// The record read for display.
    public let annotation: Annotation
    /// How far own edits of it have come.
    public let delivery: DeliveryState
    /// What the present grant allows to do to it (guide: accessing permissions).
    public let instantRecordOperations: RecordOperations

    init(_ shown: ShownRecord) {
        record = shown.record
        annotation = Annotation(shown.record)
        delivery = shown.delivery
        instantRecordOperations = shown.operations
    }

    public var id: Record.ID { record.id }

    public var content: Content { record.content }

    /// The group that permissions may speak of; nil is the null group.
    public var instantRecordGroup: String? { record.group }

    public subscript<Value>(dynamicMember path: KeyPath<Annotation, Value>) -> Value { annotation[keyPath: path] }
}
