package import Annotations

/// A message of the sync API: JSON both ways; unknown members are skipped.
package protocol WireMessage: Hashable, Sendable {
    /// The approximate bytes on the wire.
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

    /// - Throws: ``JSONError`` if the bytes are not this message; nothing is guessed.
    package init(bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try Self(from: &reader)
        try reader.end()
    }
}

extension Optional {
    /// Returns a required member.
    func required(_ key: String, _ reader: JSONReader) throws(JSONError) -> Wrapped {
        guard let self else { throw reader.error(.missing(key)) }
        return self
    }
}

/// The version of the sync API, `/instant/v1/…`. Client and server exchange theirs and refuse versions that they do not
/// support.
package enum ProtocolVersion {
    package static let current: Int64 = 1
    /// The oldest version that this code supports.
    package static let oldest: Int64 = 1
    /// The request and response header with the version.
    package static let header = "X-Postilla-Protocol"
    /// The request header with the clientID of the reader of a stream. Not in the query, because proxies log it, and an
    /// anonymous user may restore what the same clientID has deleted.
    package static let clientHeader = "X-Postilla-Client"
}
