import Annotations

/// One layer of one document on one server, for one user. Compared by bytes, because names that only look alike
/// identify different documents.
package struct LayerIdentity: Sendable {
    /// Without a trailing slash.
    package var server: String
    package var documentID: String
    package var layer: String
    /// nil if anonymous.
    package var userID: String?

    package init(server: String, documentID: String, layer: String, userID: String?) {
        self.server = server
        self.documentID = documentID
        self.layer = layer
        self.userID = userID
    }
}

extension LayerIdentity: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.server.isExactly(other.server) && one.documentID.isExactly(other.documentID)
            && one.layer.isExactly(other.layer) && one.userID.isExactly(other.userID)
    }

    /// Hashes the bytes, because texts that Swift considers equal would otherwise collide.
    package func hash(into hasher: inout Hasher) {
        for text in [server, documentID, layer, userID ?? ""] { hasher.combine(Array(text.utf8)) }
    }
}
