import Screen

/// A picture as sixels (DEC's VT330/VT340 manual, chapter 14): bands of six rows, one pass per colour of a band, runs
/// of equal columns shortened. Colours are from a cube of 6 x 6 x 6; of a picture that is large to send, from a smaller
/// one, because each shade of a letter's edge is a pass of its own.
struct SixelPicture {
    private(set) var bytes: [UInt8]

    private static let largest = 350_000
    private static let introducer = "\u{1B}P0;1;0q"

    init(_ pixels: Pixels) {
        self.init(pixels, steps: 6)
        for steps in [4, 3] where bytes.count > Self.largest { self.init(pixels, steps: steps) }
    }

    private init(_ pixels: Pixels, steps: Int) {
        bytes = Array((Self.introducer + "\"1;1;\(pixels.width);\(pixels.height)").utf8)
        let colors = pixels.colors(steps: steps)
        for color in Set(colors).sorted() {
            let parts = [color / steps / steps, color / steps % steps, color % steps].map {
                "\($0 * 100 / (steps - 1))"
            }
            bytes += Array("#\(color);2;\(parts.joined(separator: ";"))".utf8)
        }
        for top in stride(from: 0, to: pixels.height, by: 6) { add(band: top, of: colors, pixels) }
        bytes += Array("\u{1B}\\".utf8)
    }

    private mutating func add(band top: Int, of colors: [Int], _ pixels: Pixels) {
        let width = pixels.width
        // Per colour, the bits of every column; the top row is the lowest bit.
        var columns: [Int: [UInt8]] = [:]
        for row in top..<min(top + 6, pixels.height) {
            let bit = UInt8(1) << UInt8(row - top)
            for column in 0..<width {
                columns[colors[row * width + column], default: Array(repeating: 0, count: width)][column] |= bit
            }
        }
        for (color, bits) in columns.sorted(by: { $0.key < $1.key }) {
            bytes += Array("#\(color)".utf8)
            add(bits)
            bytes.append(UInt8(ascii: "$"))
        }
        bytes.append(UInt8(ascii: "-"))
    }

    /// Writes runs of four or more as `!`, count and sixel; omits trailing blanks.
    private mutating func add(_ bits: [UInt8]) {
        let end = (bits.lastIndex { $0 != 0 } ?? -1) + 1
        var start = 0
        while start < end {
            let stop = bits[start..<end].firstIndex { $0 != bits[start] } ?? end
            let sixel = bits[start] + 0x3F
            if stop - start > 3 {
                bytes += Array("!\(stop - start)".utf8)
                bytes.append(sixel)
            } else {
                bytes += Array(repeating: sixel, count: stop - start)
            }
            start = stop
        }
    }
}

extension Pixels {
    /// The nearest colour of a cube for each pixel, with so many steps of red, green and blue.
    fileprivate func colors(steps: Int) -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            (0..<width * height).map { pixel in
                func step(_ part: Int) -> Int { (Int(bytes[3 * pixel + part]) * (steps - 1) + 127) / 255 }
                return (step(0) * steps + step(1)) * steps + step(2)
            }
        }
    }
}
