public import Annotations
public import Authorization
import InstantCore

extension InstantDocument {
    /// The number of annotations, without comments.
    public var annotationCount: Int {
        get throws(InstantError) { try InstantError.translating { try documentDescriptor.layer.count(Self.all) } }
    }

    /// Returns the annotations of a page, from top to bottom.
    ///
    /// - Parameter page: Zero-based.
    public func annotations(onPage page: Int) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(onPage: page) }
    }

    /// Returns a range of the layer's annotations, in page order. A large layer is never loaded as a whole.
    public func annotations(in range: Range<Int>) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(Self.all, offset: range.lowerBound, limit: range.count) }
    }

    private static var all: ListQuery {
        var query = ListQuery()
        query.filter.recordsOnly = true
        return query
    }

    /// Returns an annotation or a comment; nil if it does not exist or a waiting edit deletes it.
    public func record(_ id: Record.ID) throws(InstantError) -> InstantRecord? {
        try shown { try $0.shown(id).map { [$0] } ?? [] }.first
    }

    /// Returns why these operations are not all allowed on a record, as text for a status line
    /// (`needs annotations:edit:self`); nil if they are. ``InstantRecord/instantRecordOperations`` lists the allowed
    /// operations.
    public func problem(with operations: RecordOperations, on id: Record.ID) throws(InstantError) -> String? {
        guard isEditable else { return Self.readOnly.message }
        return try InstantError.translating {
            try documentDescriptor.layer.problem(with: operations, on: id)?.description
        }
    }

    func shown(_ read: (Layer) throws -> [ShownRecord]) throws(InstantError) -> [InstantRecord] {
        try InstantError.translating { try read(documentDescriptor.layer).map(InstantRecord.init) }
    }
}
