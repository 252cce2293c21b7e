/// Something that must never be. The seed that led to it replays it.
package struct Violation: Error, Hashable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ violation: @autoclosure () throws -> String) throws {
    if !holds { throw Violation(try violation()) }
}
