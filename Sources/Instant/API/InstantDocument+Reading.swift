public import Annotations
public import Authorization
import InstantCore

extension InstantDocument {
    /// Comments of threads are not counted.
    public var annotationCount: Int {
        get throws(InstantError) { try InstantError.translating { try documentDescriptor.layer.count(ListQuery()) } }
    }

    /// From top to bottom.
    ///
    /// - Parameter page: counted from 0.
    public func annotations(onPage page: Int) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(onPage: page) }
    }

    /// A part of all annotations in the order of pages: a large layer is never loaded whole to show some of it.
    public func annotations(in range: Range<Int>) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(ListQuery(), offset: range.lowerBound, limit: range.count) }
    }

    /// An annotation or a comment; nil when there is none, or an edit that waits deletes it.
    public func record(_ id: Record.ID) throws(InstantError) -> InstantRecord? {
        try shown { try $0.shown(id).map { [$0] } ?? [] }.first
    }

    /// Why not all of these may be done to a record, in words that fit a status line (`needs annotations:edit:self`); nil
    /// when they may. ``InstantRecord/instantRecordOperations`` is the short form of the question.
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
