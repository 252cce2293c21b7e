import Screen

/// A picture as PNG (ISO/IEC 15948), small enough to send at once: with at most 256 colours they are numbered. Made of
/// pixels only.
struct PNGPicture {
    let bytes: [UInt8]

    init(_ pixels: Pixels) {
        let head = Self.number(pixels.width) + Self.number(pixels.height)
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let end = Self.chunk("IEND", [])
        if let numbered = NumberedPixels(pixels) {
            var rows: [UInt8] = []
            rows.reserveCapacity((pixels.width + 1) * pixels.height)
            for row in 0..<pixels.height {
                rows.append(0)
                rows += numbered.numbers[row * pixels.width..<(row + 1) * pixels.width]
            }
            bytes =
                signature + Self.chunk("IHDR", head + [8, 3, 0, 0, 0]) + Self.chunk("PLTE", numbered.palette)
                + Self.chunk("IDAT", Deflate.compressed(rows)) + end
        } else {
            bytes =
                signature + Self.chunk("IHDR", head + [8, 2, 0, 0, 0])
                + Self.chunk("IDAT", Deflate.compressed(Self.differences(pixels))) + end
        }
    }

    /// Each byte less the one of the pixel at its left, which suits photographs.
    private static func differences(_ pixels: Pixels) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((3 * pixels.width + 1) * pixels.height)
        for row in 0..<pixels.height {
            rows.append(1)
            let start = 3 * row * pixels.width
            for place in start..<start + 3 * pixels.width {
                rows.append(place < start + 3 ? pixels.bytes[place] : pixels.bytes[place] &- pixels.bytes[place - 3])
            }
        }
        return rows
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + data
        return number(data.count) + named + number(Int(checksum(named)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    /// The remainders of CRC-32.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
}

/// A picture whose colours are numbers in a palette. Letters need few shades of grey, so each part of a colour is one
/// of sixteen.
struct NumberedPixels {
    /// Red, green and blue of each number.
    private(set) var palette: [UInt8] = []
    /// One number per pixel.
    private(set) var numbers: [UInt8] = []

    /// Returns nil for a picture with more than `most` colours.
    init?(_ pixels: Pixels, most: Int = 256) {
        // By the four highest bits of red, green and blue.
        var known = [Int16](repeating: -1, count: 4_096)
        numbers.reserveCapacity(pixels.width * pixels.height)
        let isWhole = pixels.bytes.withUnsafeBufferPointer { bytes in
            var place = 0
            while place < bytes.count {
                let red = (Int(bytes[place]) + 8) / 17
                let green = (Int(bytes[place + 1]) + 8) / 17
                let blue = (Int(bytes[place + 2]) + 8) / 17
                place += 3
                let key = red << 8 | green << 4 | blue
                if known[key] < 0 {
                    guard palette.count < 3 * most else { return false }
                    known[key] = Int16(palette.count / 3)
                    palette += [UInt8(red * 17), UInt8(green * 17), UInt8(blue * 17)]
                }
                numbers.append(UInt8(known[key]))
            }
            return true
        }
        guard isWhole else { return nil }
    }
}
