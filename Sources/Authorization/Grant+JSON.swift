package import Annotations

/// A grant as JSON in the session response and in the client's store, with the names of the claims as keys.
extension Grant {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("document_id", documentID)
            $0.member("layer", layer)
            $0.member("user_id", orNull: userID)
            $0.key("permissions")
            $0.array(general.map(\.rawValue).sorted()) { $0.string($1) }
            if let collaboration {
                $0.key("collaboration_permissions")
                $0.array(collaboration) { $0.string($1.description) }
            }
            $0.member("default_group", orNull: defaultGroup)
            $0.member("creator_name", orNull: creatorName)
            $0.member("expires_at", expiresAt.milliseconds)
        }
    }

    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    /// - Throws: ``JSONError`` if a required member is missing or of another type.
    package init(from reader: inout JSONReader) throws(JSONError) {
        let value = try reader.value()
        guard let documentID = value["document_id"]?.string, let words = value["permissions"]?.array,
            let expiresAt = value["expires_at"]?.integer
        else { throw reader.error(.wrongType("a grant")) }
        var collaboration: [Permission]?
        // Absent means that general permissions alone decide, so an unreadable member must not pass for absent.
        if let entries = value["collaboration_permissions"], !entries.isNull {
            guard let entries = entries.array else { throw reader.error(.wrongType("an array of permissions")) }
            collaboration = entries.compactMap { entry in
                if case .granted(let permission)? = entry.string.map(Permission.read) { permission } else { nil }
            }
        }
        self.init(
            documentID: documentID, layer: value["layer"]?.string ?? "", userID: value["user_id"]?.string,
            general: Set(words.compactMap { $0.string.flatMap(GeneralPermission.init(rawValue:)) }),
            collaboration: collaboration, defaultGroup: value["default_group"]?.string,
            creatorName: value["creator_name"]?.string, expiresAt: Timestamp(milliseconds: expiresAt))
    }
}
