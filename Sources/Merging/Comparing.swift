package import Annotations

extension JSON {
    /// Whether two values are the same but for the rounding of numbers, which programs write with different precision.
    package func isClose(to other: JSON) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let other)):
            guard let one = one.double, let other = other.double else { return one == other }
            return abs(one - other) <= 0.01
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { $0.isClose(to: $1) }
        case (.object(let one), .object(let other)):
            return one.members.count == other.members.count
                && one.members.allSatisfy { member in other[member.key].map { member.value.isClose(to: $0) } ?? false }
        default: return self == other
        }
    }
}
