public import Annotations
import InstantCore

/// Comments: flat threads under text markups and comment markers, oldest first (guide: comments).
///
/// Comments are ordinary records: ``update(_:content:)`` and ``remove(_:)`` apply to them too. When the last comment of
/// a thread is deleted, the server also deletes its root if the root was created for the thread
/// (``beginThread(_:text:author:)``), is unchanged and may be deleted. Any other annotation remains.
extension InstantDocument {
    /// Returns the comments under an annotation; none while a deletion of the annotation is pending, because the
    /// deletion includes them.
    public func comments(of root: Record.ID) throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shown(under: root) }
    }

    /// Returns the comments whose annotation was deleted by someone who does not see them, or is hidden.
    public func commentsWithoutRoot() throws(InstantError) -> [InstantRecord] {
        try shown { try $0.shownWithoutRoot() }
    }

    /// Returns what ``remove(_:)`` deletes besides a record, as far as it is known here: the comments of an annotation,
    /// or the annotation whose last comment it is. Ask the user before other people's records are deleted. The server
    /// also counts comments that this user does not see: the annotation of a last comment may stay.
    public func recordsRemoved(with id: Record.ID) throws(InstantError) -> [InstantRecord] {
        try shown { layer in
            try layer.deletions(of: [id]).flatMap { $0.records.dropFirst() }.compactMap { try layer.shown($0.id) }
        }
    }

    /// Adds a comment to an annotation.
    ///
    /// - Parameters:
    ///   - root: The annotation at which the thread begins, not one of its comments (``Annotation/rootID``).
    ///   - text: Plain text, or XHTML with formatting and mentions.
    ///   - author: The author if the token has no `creator_name`.
    /// - Returns: The id of the new comment.
    /// - Throws: `noSuchAnnotation` if the root is gone; `invalidRequest` if its kind cannot have a thread;
    ///   `accessDenied`; `authorNeeded` and `recordWouldBeHidden` as for ``add(_:author:allowsHidden:)``.
    @discardableResult
    public func reply(
        to root: Record.ID, text: CommentText, author: String? = nil
    ) throws(InstantError) -> Record.ID {
        try step { descriptor in
            guard let record = try descriptor.layer.record(root) else { throw EditError.rootGone }
            let comment = Content.comment(text, under: root, record.content)
            try requireVisible(comment)
            return [try descriptor.create(comment, author: name(author, for: comment))]
        }[0].id
    }

    /// Adds a comment in plain text.
    @discardableResult
    public func reply(
        to root: Record.ID, text: String, author: String? = nil
    ) throws(InstantError) -> Record.ID {
        try reply(to: root, text: .plain(text), author: author)
    }

    /// Creates an annotation and its first comment: both or neither.
    ///
    /// - Parameters:
    ///   - root: A text markup, or ``Content/commentMarker(onPage:at:)`` at a place without text.
    ///   - text: Plain text, or XHTML with formatting and mentions.
    ///   - author: The author of both if the token has no `creator_name`.
    /// - Throws: The errors of a reply.
    @discardableResult
    public func beginThread(
        _ root: Content, text: CommentText, author: String? = nil
    ) throws(InstantError) -> (root: Record.ID, comment: Record.ID) {
        let made = try step { descriptor in
            try requireVisible(root)
            let name = try name(author, for: root) ?? root["creatorName"]?.string
            let made = try descriptor.beginThread(root, text, author: name)
            return [made.root, made.comment]
        }
        return (made[0].id, made[1].id)
    }

    /// Replaces the text of a comment. Everything else stays, including mentions and the formatting around the change.
    ///
    /// - Throws: `noSuchAnnotation`; `invalidRequest` for an annotation, or if the change crosses formatting that plain
    ///   text cannot express; in that case, pass new XHTML to ``update(_:content:)``.
    public func reword(_ comment: Record.ID, text: String) throws(InstantError) {
        _ = try step { [try $0.reword(comment, text)] }
    }
}
