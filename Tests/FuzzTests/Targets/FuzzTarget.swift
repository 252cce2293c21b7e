/// Something that reads what others wrote, and what must hold whatever that is. Besides, it must not trap, hang, or take
/// more memory than it was given.
struct FuzzTarget: Sendable {
    let name: String
    /// What is well-formed, for a beginning.
    let seeds: [String]
    /// A process has one terminal: whoever opens it is alone with it.
    let opensTerminal: Bool
    /// - Throws: ``Broken`` when what must hold does not.
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

    /// What must hold.
    static func hold(_ isTrue: Bool, _ what: String) throws {
        if !isTrue { throw Broken(description: what) }
    }

    /// Two halves of what came: a reader of pieces must not care where it was cut. The first byte says where.
    static func halves(_ bytes: [UInt8]) -> (first: ArraySlice<UInt8>, second: ArraySlice<UInt8>) {
        let rest = bytes.dropFirst()
        let cut = rest.startIndex + (rest.isEmpty ? 0 : Int(bytes[0]) % (rest.count + 1))
        return (rest[..<cut], rest[cut...])
    }
}
