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

    /// Returns a range of the layer's annotations, in page order. A large layer is never loaded as a whole. Of a range
    /// that reaches beyond the annotations, what exists is returned.
    public func annotations(in range: Range<Int>) throws(InstantError) -> [InstantRecord] {
        try annotations(matching: Self.all, in: range)
    }

    /// The number of rows of a filtered list.
    public func count(of query: ListQuery) throws(InstantError) -> Int {
        try InstantError.translating { try documentDescriptor.layer.count(query) }
    }

    /// Returns a range of a filtered list, in the query's order. A large layer is never loaded as a whole.
    ///
    /// Rows of deleted annotations, of which only comments remain, are counted but not returned, unless the filter
    /// leaves them out (``ListFilter/recordsOnly``).
    public func annotations(
        matching query: ListQuery, in range: Range<Int>
    ) throws(InstantError) -> [InstantRecord] {
        // A range may be longer than `Int`.
        let range = range.clamped(to: 0..<Int.max)
        return try shown { try $0.shown(query, offset: range.lowerBound, limit: range.count) }
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

    /// Returns why these operations are not all allowed on a record; nil if they are.
    /// ``InstantRecord/instantRecordOperations`` lists the allowed operations.
    public func denial(of operations: RecordOperations, on id: Record.ID) throws(InstantError) -> OperationDenial? {
        guard isEditable else { return OperationDenial(.readOnlyDocument, Self.readOnly.message) }
        if let why = documentDescriptor.lossOfAccess { return OperationDenial(.accessLost, why) }
        return try InstantError.translating {
            try documentDescriptor.layer.problem(with: operations, on: id).map(OperationDenial.init)
        }
    }

    func shown(_ read: (Layer) throws -> [ShownRecord]) throws(InstantError) -> [InstantRecord] {
        let isLost = documentDescriptor.lossOfAccess != nil
        return try InstantError.translating {
            try read(documentDescriptor.layer).map { shown in
                var shown = shown
                if isLost { shown.operations = [] }
                return InstantRecord(shown)
            }
        }
    }
}
