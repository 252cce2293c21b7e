/// A reader of untrusted input, with its invariants. It must also never trap, hang or exceed its memory limit.
struct FuzzTarget: Sendable {
    let name: String
    /// Well-formed inputs to start from.
    let seeds: [String]
    /// Whether it needs the process's only terminal, and therefore runs alone.
    let opensTerminal: Bool
    /// - Throws: ``Broken`` if an invariant fails.
    let read: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] = json + messages + tokens + files + tools + requests + screens + [terminal]

    init(
        _ name: String, _ seeds: [String], opensTerminal: Bool = false,
        _ read: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        (self.name, self.seeds, self.opensTerminal, self.read) = (name, seeds, opensTerminal, read)
    }

    struct Broken: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Checks an invariant.
    static func hold(_ isTrue: Bool, _ what: String) throws {
        if !isTrue { throw Broken(description: what) }
    }

    /// Splits the input at a position taken from its first byte: a streaming reader must not depend on the split.
    static func halves(_ bytes: [UInt8]) -> (first: ArraySlice<UInt8>, second: ArraySlice<UInt8>) {
        let rest = bytes.dropFirst()
        let cut = rest.startIndex + (rest.isEmpty ? 0 : Int(bytes[0]) % (rest.count + 1))
        return (rest[..<cut], rest[cut...])
    }
}
