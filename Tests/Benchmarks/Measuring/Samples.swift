/// Repeated measurements. None is discarded: a slow one counts like any other.
struct Samples {
    private(set) var values: [Duration] = []

    mutating func add(_ value: Duration) { values.append(value) }

    var count: Int { values.count }
    var isEmpty: Bool { values.isEmpty }
    var median: Duration? { percentile(50) }
    var least: Duration? { values.min() }
    var most: Duration? { values.max() }

    /// Returns the smallest value that this percentage of the values does not exceed (nearest rank); nil without
    /// values.
    func percentile(_ percent: Double) -> Duration? {
        guard !values.isEmpty else { return nil }
        let rank = Int((percent / 100 * Double(values.count)).rounded(.up))
        return values.sorted()[min(max(rank, 1), values.count) - 1]
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
    }

    /// Returns this duration as a multiple of the other.
    func ratio(to other: Duration) -> Double { milliseconds / other.milliseconds }
}
