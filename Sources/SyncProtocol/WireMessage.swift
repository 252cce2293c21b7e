package import Annotations

/// A message of the sync plane: JSON both ways, unknown members skipped.
package protocol WireMessage: Hashable, Sendable {
    /// About how many bytes it takes on the wire.
    var size: Int { get }
    func write(to json: inout JSONWriter)
    init(from reader: inout JSONReader) throws(JSONError)
}

extension WireMessage {
    package var size: Int { 1024 }

    package var bytes: [UInt8] {
        var writer = JSONWriter(capacity: size)
        write(to: &writer)
        return writer.bytes
    }

    /// - Throws: ``JSONError`` when the bytes are not this message; nothing is guessed.
    package init(bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try Self(from: &reader)
        try reader.end()
    }
}

extension Optional {
    /// A member that must be there.
    func required(_ key: String, _ reader: JSONReader) throws(JSONError) -> Wrapped {
        guard let self else { throw reader.error(.missing(key)) }
        return self
    }
}

/// The version of the sync plane, `/instant/v1/…`. Client and server tell each other theirs and refuse what they
/// cannot speak.
package enum ProtocolVersion {
    package static let current: Int64 = 1
    /// The oldest version this code still speaks.
    package static let oldest: Int64 = 1
    /// The request and answer header that carries it.
    package static let header = "X-Postilla-Protocol"
}
