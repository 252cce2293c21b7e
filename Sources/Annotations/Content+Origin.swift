// What an edit cannot change. Client and server both take it from the stored record, so that an edit that lacks it, or
// claims something else, loses nothing and forges nothing.

extension Content {
    /// The members that an edit leaves as they are stored: the author's name, the time of creation, the thread of a
    /// comment, and the mark of an annotation that was created for its comments.
    package static let originMembers: Set = ["creatorName", "createdAt", "rootId", "isCommentThreadRoot"]

    /// The members that name users by their ids. The server sends these beside the content; inside, they are claims.
    package static let userMembers: Set = ["createdBy", "updatedBy"]

    /// Returns this content as an edit of a record.
    ///
    /// - Parameter stored: The record's content. Its ``originMembers`` replace those of the edit; what it lacks is absent.
    ///   `type` and the state of a comment do so if otherwise the record would become an annotation or a comment, or
    ///   begin or cease to set a state.
    /// - Returns: The content without ``userMembers``. The same text if nothing had to change.
    package func keepingOrigin(of stored: Content) -> Content {
        ContentOutline(self).keepingOrigin(of: ContentOutline(stored), in: self)
    }

    /// Returns the content without ``userMembers``; the same text if it has none.
    package var withoutUsers: Content {
        guard ContentOutline(self).namesUsers else { return self }
        return changing { object in for key in Self.userMembers { object[key] = nil } }
    }
}

extension ContentOutline {
    /// The values of ``Content/originMembers``; nil for one that is absent.
    struct Origin: Equatable {
        var creatorName: JSON?
        var createdAt: JSON?
        var rootID: JSON?
        var threadMark: JSON?
    }

    /// See ``Content/keepingOrigin(of:)``.
    ///
    /// - Parameter content: The content that this outline describes.
    package func keepingOrigin(of stored: ContentOutline, in content: Content) -> Content {
        let isFixed = stored.contentType != .annotations || typeAlone != .annotations
        let hasType = !isFixed || typeValue == stored.typeValue
        let hasState =
            stored.contentType != .comments || (AnnotationState(aside: aside) == nil) == (stored.state == nil)
        guard origin != stored.origin || namesUsers || !hasType || !hasState else { return content }
        return content.changing { object in
            for key in Content.userMembers { object[key] = nil }
            object["creatorName"] = stored.origin.creatorName
            object["createdAt"] = stored.origin.createdAt
            object["rootId"] = stored.origin.rootID
            object["isCommentThreadRoot"] = stored.origin.threadMark
            if !hasType { object["type"] = stored.typeValue }
            guard !hasState else { return }
            var members = object["postilla"]?.object ?? JSONObject()
            for key in ["state", "stateModel"] { members[key] = stored.aside?[key] }
            object["postilla"] = members.members.isEmpty ? nil : .object(members)
        }
    }
}
