import InstantCore

/// The sentence that says why a typed text is not the address of a server.
struct InvalidEntry: Error {
    var sentence: String
}

extension ServerAddress {
    /// Reads the address of a server as a person types it, before they are asked for a token.
    static func entered(_ text: String) throws(InvalidEntry) -> String {
        do { return try typed(text).address.canonical } catch {
            throw InvalidEntry(sentence: error.sentence(about: text))
        }
    }
}
