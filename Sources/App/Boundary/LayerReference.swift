import Annotations

/// Identifies a layer of a document on a server, as one user sees it.
///
/// The program stores one data folder per server and user, so the reference names all four.
package struct LayerReference: Hashable, Sendable {
    /// The server's address as the user entered it.
    package var server: String
    package var documentID: String
    /// Empty for the default layer.
    package var layer: String
    /// nil if anonymous.
    package var userID: String?

    package init(server: String, documentID: String, layer: String = "", userID: String? = nil) {
        self.server = server
        self.documentID = documentID
        self.layer = layer
        self.userID = userID
    }

    /// Compares the bytes: two ids that look alike name two documents.
    package static func == (one: LayerReference, other: LayerReference) -> Bool {
        one.server.isExactly(other.server) && one.documentID.isExactly(other.documentID)
            && one.layer.isExactly(other.layer) && one.userID.isExactly(other.userID)
    }
}
