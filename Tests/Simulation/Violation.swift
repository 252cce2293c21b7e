/// A violated invariant. The seed replays it.
package struct Violation: Error, Hashable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ violation: @autoclosure () throws -> String) throws {
    if !holds { throw Violation(try violation()) }
}
