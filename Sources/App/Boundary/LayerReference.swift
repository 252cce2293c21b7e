import Annotations

/// Which layer is meant: a document's layer on a server, as one user sees it.
///
/// The program keeps one data folder per server and user, so all four name it.
package struct LayerReference: Hashable, Sendable {
    /// The server's address, as the person wrote it.
    package var server: String
    package var documentID: String
    /// The default layer's name is the empty string.
    package var layer: String
    /// nil: anonymous.
    package var userID: String?

    package init(server: String, documentID: String, layer: String = "", userID: String? = nil) {
        self.server = server
        self.documentID = documentID
        self.layer = layer
        self.userID = userID
    }

    /// By their bytes: two ids that look alike are two documents.
    package static func == (one: LayerReference, other: LayerReference) -> Bool {
        one.server.isExactly(other.server) && one.documentID.isExactly(other.documentID)
            && one.layer.isExactly(other.layer) && one.userID.isExactly(other.userID)
    }
}
