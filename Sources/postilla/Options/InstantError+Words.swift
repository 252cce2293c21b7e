import Instant

extension InstantError {
    /// The message, with the option that helps.
    var words: String { self == .insecure ? message + "; use https, or --insecure-http" : message }
}
