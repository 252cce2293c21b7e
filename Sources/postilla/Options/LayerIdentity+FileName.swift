import Annotations
import Crypto
import InstantCore

extension LayerIdentity {
    /// A name for what is kept of this layer: ids of documents, layers and users are other people's text, so a hash of
    /// them names files and secrets. Lengths go in as well, so that no two layers have one name.
    var fileName: String {
        let parts = [server, documentID, layer, userID ?? "", userID == nil ? "0" : "1"]
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return SHA256.hash(data: Array(text.utf8)).prefix(16).hexadecimal
    }
}
