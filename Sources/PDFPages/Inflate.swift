/// Reads data compressed with zlib (RFC 1950 and 1951), as `FlateDecode` of PDF does. The data is hostile: the size of
/// the result is limited.
package struct Inflate {
    private let bytes: [UInt8]
    private var place = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: the maximum size of the result, in bytes.
    /// - Returns: nil for malformed data, or data that is too large.
    package static func bytes(of compressed: [UInt8], limit: Int) -> [UInt8]? {
        guard compressed.count > 2, compressed[0] & 0x0F == 8,
            (Int(compressed[0]) << 8 | Int(compressed[1])) % 31 == 0, compressed[1] & 0x20 == 0
        else { return nil }
        var inflate = Inflate(compressed, from: 2, limit: limit)
        return inflate.run() ? inflate.output : nil
    }

    private init(_ bytes: [UInt8], from place: Int, limit: Int) {
        (self.bytes, self.place, self.limit) = (bytes, place, limit)
    }

    private mutating func run() -> Bool {
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isRead =
                switch kind {
                case 0: copyStored()
                case 1: readFixedBlock()
                case 2: readDynamicBlock()
                default: false
                }
            guard isRead else { return false }
            if isLast == 1 { return true }
        }
    }

    /// Returns the next bits, the first one lowest.
    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard place < bytes.count else { return nil }
            bits |= UInt32(bytes[place]) << UInt32(bitCount)
            place += 1
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func copyStored() -> Bool {
        (bits, bitCount) = (0, 0)
        guard place + 4 <= bytes.count else { return false }
        let count = Int(bytes[place]) | Int(bytes[place + 1]) << 8
        let inverse = Int(bytes[place + 2]) | Int(bytes[place + 3]) << 8
        place += 4
        guard count ^ inverse == 0xFFFF, place + count <= bytes.count, output.count + count <= limit else {
            return false
        }
        output += bytes[place..<place + count]
        place += count
        return true
    }

    private mutating func readBlock(_ literals: Code, _ distances: Code) -> Bool {
        while let symbol = next(literals) {
            if symbol == 256 { return true }
            guard symbol > 256 else {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol < 286, let length = value(Self.lengths[symbol - 257]), let index = next(distances), index < 30,
                let distance = value(Self.distances[index]), distance <= output.count, output.count + length <= limit
            else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }

    private mutating func value(_ range: (base: Int, bits: Int)) -> Int? { take(range.bits).map { range.base + $0 } }

    private mutating func readFixedBlock() -> Bool {
        guard let literals = Self.fixedLiterals, let distances = Self.fixedDistances else { return false }
        return readBlock(literals, distances)
    }

    private mutating func readDynamicBlock() -> Bool {
        guard let literals = take(5), let distances = take(5), let lengths = take(4) else { return false }
        var sizes = [Int](repeating: 0, count: 19)
        for index in 0..<lengths + 4 {
            guard let size = take(3) else { return false }
            sizes[Self.order[index]] = size
        }
        guard let code = Code(sizes) else { return false }
        let count = literals + 257 + distances + 1
        sizes = []
        while sizes.count < count {
            guard let symbol = next(code) else { return false }
            guard symbol > 15 else {
                sizes.append(symbol)
                continue
            }
            let repeated: (value: Int, count: Int?) =
                switch symbol {
                case 16: (sizes.last ?? -1, take(2).map { $0 + 3 })
                case 17: (0, take(3).map { $0 + 3 })
                default: (0, take(7).map { $0 + 11 })
                }
            guard repeated.value >= 0, let times = repeated.count, sizes.count + times <= count else { return false }
            sizes += Array(repeating: repeated.value, count: times)
        }
        guard let first = Code(Array(sizes[..<(literals + 257)])), let second = Code(Array(sizes[(literals + 257)...]))
        else { return false }
        return readBlock(first, second)
    }

    private mutating func next(_ code: Code) -> Int? {
        // The first code of each length follows from the shorter ones (RFC 1951, 3.2.2).
        var (value, first, index) = (0, 0, 0)
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    /// A Huffman code.
    private struct Code {
        /// The number of symbols with each length in bits.
        var counts = [Int](repeating: 0, count: 16)
        /// By length, then by value.
        var symbols: [Int]

        /// - Returns: nil if there are more symbols than the lengths allow.
        init?(_ lengths: [Int]) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                guard left >= 0 else { return nil }
            }
            symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        }
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengths: [(base: Int, bits: Int)] = {
        let bits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]
        return ranges(bits, from: 3) + [(258, 0)]
    }()
    private static let distances: [(base: Int, bits: Int)] = ranges((0..<30).map { max(0, $0 / 2 - 1) }, from: 1)

    private static func ranges(_ bits: [Int], from first: Int) -> [(base: Int, bits: Int)] {
        var base = first
        return bits.map { count in
            defer { base += 1 << count }
            return (base, count)
        }
    }

    private static let fixedLiterals = Code((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code(Array(repeating: 5, count: 30))
}
