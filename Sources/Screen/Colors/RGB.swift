/// A colour in sRGB.
package struct RGB: Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package static let black = RGB(0, 0, 0)
    package static let white = RGB(255, 255, 255)

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Parses `#rrggbb`; nil for anything else.
    package init?(hex: String) {
        guard hex.utf8.count == 7, hex.utf8.first == UInt8(ascii: "#"), let number = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        self.init(UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }

    package var color: Color { .rgb(red, green, blue) }

    /// The relative luminance of WCAG 2, 0 to 1.
    package var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// The contrast of WCAG 2, 1 to 21.
    package func contrast(with other: RGB) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// - Parameter share: The share of this colour, 0 to 1.
    package func mixed(into other: RGB, share: Double) -> RGB {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(max(0, min(255, (Double(one) * share + Double(two) * (1 - share)).rounded())))
        }
        return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
    }

    /// The colour in Björn Ottosson's Oklab, where distances are about as large as they look.
    package var oklab: (lightness: Double, a: Double, b: Double) {
        let (red, green, blue) = (Self.linear(red), Self.linear(green), Self.linear(blue))
        let long = root(3, 0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let medium = root(3, 0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let short = root(3, 0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        return (
            0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
            1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
            0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
        )
    }

    private static func linear(_ value: UInt8) -> Double { linearValues[Int(value)] }

    private static let linearValues: [Double] = (0...255).map { value in
        let share = Double(value) / 255
        guard share > 0.04045 else { return share / 12.92 }
        // To the power of 2.4.
        let base = (share + 0.055) / 1.055
        let fifth = root(5, base)
        return base * base * fifth * fifth
    }
}

/// Returns the root of a number from 0 to about 1, by Newton's method; this module has no mathematical library.
private func root(_ degree: Int, _ value: Double) -> Double {
    guard value > 0 else { return 0 }
    var guess = 1.0
    for _ in 0..<60 {
        let power = (1..<degree).reduce(1.0) { product, _ in product * guess }
        let next = guess - (guess * power - value) / (Double(degree) * power)
        if (next - guess).magnitude < 1e-15 { return next }
        guess = next
    }
    return guess
}
