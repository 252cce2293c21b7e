import Foundation

/// Maps values to positions on one axis: logarithmic if they span more than a decade, otherwise linear from zero.
struct PlotScale {
    let isLogarithmic: Bool
    /// The values with a grid line, in ascending order; the axis goes from the first to the last.
    let ticks: [Double]
    private let from: Double
    private let to: Double

    /// - Parameters:
    ///   - from: Where the axis begins, in pixels.
    ///   - to: Where it ends.
    init(_ values: [Double], from: Double, to: Double) {
        self.from = from
        self.to = to
        let (least, most) = (values.min() ?? 0, values.max() ?? 1)
        isLogarithmic = least > 0 && most / least > 10
        ticks = isLogarithmic ? Self.logarithmic(least, most) : Self.linear(max(most, .leastNormalMagnitude))
    }

    func position(of value: Double) -> Double {
        func place(_ value: Double) -> Double { isLogarithmic ? log10(value) : value }
        guard let first = ticks.first.map(place), let last = ticks.last.map(place), last > first else { return from }
        return from + (place(value) - first) / (last - first) * (to - from)
    }

    /// Returns powers of ten; below three decades, also two and five times each.
    private static func logarithmic(_ least: Double, _ most: Double) -> [Double] {
        let exponents = Int(log10(least).rounded(.down))...Int(log10(most).rounded(.up))
        let factors: [Double] = most / least < 1_000 ? [1, 2, 5] : [1]
        let all = exponents.flatMap { exponent in factors.map { $0 * pow(10, Double(exponent)) } }
        // Rounding must not exclude the least or the greatest value.
        let first = all.lastIndex { $0 <= least * 1.000_001 } ?? 0
        let last = all.firstIndex { $0 >= most * 0.999_999 } ?? all.count - 1
        return Array(all[first...last])
    }

    /// Returns four to ten steps of 1, 2 or 5 times a power of ten, from zero.
    private static func linear(_ most: Double) -> [Double] {
        let rough = pow(10, log10(most / 4).rounded(.down))
        let step = [5, 2, 1].map { $0 * rough }.first { most / $0 >= 4 } ?? rough
        return (0...Int((most / step).rounded(.up))).map { Double($0) * step }
    }

    /// Returns a number without needless digits, with commas between thousands.
    static func label(_ value: Double) -> String {
        guard value >= 1_000 else {
            return value >= 1 || value == 0 ? String(format: "%g", value) : String(format: "%.2g", value)
        }
        var digits = String(format: "%.0f", value)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return digits
    }
}
