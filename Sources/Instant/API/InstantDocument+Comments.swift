public import Annotations
import InstantCore

/// Comments: flat threads under text markups and comment markers, oldest first (guide: comments).
///
/// They are records like any other: ``update(_:content:)`` and ``remove(_:)`` work on them too. With the last comment
/// of a thread the server deletes the comment marker it began at, if that is unchanged and may be deleted. A text markup stays.
extension InstantDocument {
    /// The comments under an annotation; none while a deletion of it waits, which takes them along.
    public func comments(of root: Record.ID) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(under: root) }
    }

    /// Says something under an annotation.
    ///
    /// - Parameters:
    ///   - root: the annotation the thread begins at, not a comment of it (``Annotation/rootID``).
    ///   - text: plain, or XHTML with formatting and mentions.
    ///   - author: for a token without `creator_name`.
    /// - Returns: the id of the new comment.
    /// - Throws: `noSuchAnnotation` when the root is gone, `invalidRequest` when it is of a kind that no thread can begin
    ///   at, `accessDenied`, and `authorNeeded` as ``add(_:author:)`` does.
    @discardableResult
    public func reply(
        to root: Record.ID, text: CommentText, author: String? = nil
    ) throws(InstantError) -> Record.ID {
        try editing { descriptor in
            guard let record = try descriptor.layer.record(root) else { throw EditError.rootGone }
            let comment = Content.comment(text, under: root, record.content)
            return try descriptor.create(comment, author: name(author, for: comment)).id
        }
    }

    /// The same in plain words.
    @discardableResult
    public func reply(
        to root: Record.ID, text: String, author: String? = nil
    ) throws(InstantError) -> Record.ID {
        try reply(to: root, text: .plain(text), author: author)
    }

    /// Makes an annotation and says the first thing under it: both or neither.
    ///
    /// - Parameters:
    ///   - root: a text markup, or ``Content/commentMarker(onPage:at:)`` where there are no words to mark.
    ///   - text: plain, or XHTML with formatting and mentions.
    ///   - author: of both, for a token without `creator_name`.
    /// - Throws: what a reply throws.
    @discardableResult
    public func beginThread(
        _ root: Content, text: CommentText, author: String? = nil
    ) throws(InstantError) -> (root: Record.ID, comment: Record.ID) {
        try editing { descriptor in
            let name = try name(author, for: root) ?? root["creatorName"]?.string
            let made = try descriptor.beginThread(root, text, author: name)
            return (made.root.id, made.comment.id)
        }
    }

    /// Gives a comment other words. Everything else in it stays, the formatting around the words that changed and
    /// mentions included.
    ///
    /// - Throws: `noSuchAnnotation`; `invalidRequest` for an annotation, and where the words were changed across
    ///   formatting that plain words cannot carry: ``update(_:content:)`` takes new XHTML.
    public func reword(_ comment: Record.ID, text: String) throws(InstantError) {
        try editing { _ = try $0.reword(comment, text) }
    }
}
