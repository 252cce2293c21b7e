import Annotations

/// The address of a server, as a person types it.
enum ServerAddress {
    /// Returns what is wrong with an address, before the user is asked for a token; nil if it may be valid. Whether it is
    /// valid in every detail shows when it is used.
    static func problem(with text: String) -> String? {
        let lower = text.lowercased()
        let rest = lower.dropping(prefix: "https://") ?? lower.dropping(prefix: "http://")
        if let host = rest?.unicodeScalars.first, !"/:?#".unicodeScalars.contains(host),
            !text.unicodeScalars.contains(where: \.properties.isWhitespace)
        {
            return nil
        }
        return "\(text) is not a server address such as http://127.0.0.1:5000"
    }
}
