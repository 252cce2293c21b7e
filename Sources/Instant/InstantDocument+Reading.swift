public import Annotations
import InstantCore

extension InstantDocument {
    /// Comments of threads are not counted.
    public var annotationCount: Int {
        get throws(InstantError) { try InstantError.translating { try documentDescriptor.count(ListQuery()) } }
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

    /// The comments under an annotation, in the order of their creation.
    public func comments(of root: Record.ID) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(under: root) }
    }

    /// An annotation or a comment; nil when there is none, or an edit that waits deletes it.
    public func record(_ id: Record.ID) throws(InstantError) -> InstantRecord? {
        try shown { try $0.shown(id).map { [$0] } ?? [] }.first
    }

    private func shown(_ read: (Layer) throws -> [ShownRecord]) throws(InstantError) -> [InstantRecord] {
        try InstantError.translating { try read(documentDescriptor.layer).map(InstantRecord.init) }
    }
}
