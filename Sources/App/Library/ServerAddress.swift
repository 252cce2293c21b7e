/// The address of a server, as a person types it.
enum ServerAddress {
    /// Returns what is wrong with an address, before the user is asked for a token; nil if it may be valid. Whether it is
    /// valid in every detail shows when it is used.
    static func problem(with text: String) -> String? {
        let rest = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }.map { text.dropFirst($0.count) }
        if let host = rest?.first, !"/:?#".contains(host), !text.contains(where: \.isWhitespace) { return nil }
        return "\(text) is not a server address such as http://127.0.0.1:5000"
    }
}
