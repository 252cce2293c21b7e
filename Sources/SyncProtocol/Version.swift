/// The version of the sync plane, `/instant/v1/…`. Client and server tell each other theirs and refuse what they
/// cannot speak.
package enum ProtocolVersion {
    package static let current: Int64 = 1
    /// The oldest version this code still speaks.
    package static let oldest: Int64 = 1
    /// The request and answer header that carries it.
    package static let header = "X-Postilla-Protocol"
}
