/// Compresses data as zlib does (RFC 1950 and 1951), so that a picture takes a fraction of its pixels' bytes on the way
/// to the terminal. Looks for repetitions, and gives frequent symbols short codes, in one block.
struct Deflate {
    private var writer = BitWriter()

    /// Returns a zlib stream.
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var deflate = Deflate()
        deflate.write(Repetitions(bytes).symbols)
        var checksum = Adler32()
        checksum.add(bytes)
        return [0x78, 0x9C] + deflate.writer.finished() + checksum.bytes
    }

    private mutating func write(_ symbols: [Symbol]) {
        var literals = [Int](repeating: 0, count: 286)
        var distances = [Int](repeating: 0, count: 30)
        literals[Self.endOfBlock] = 1
        for symbol in symbols {
            switch symbol {
            case .literal(let byte): literals[Int(byte)] += 1
            case .copy(let length, let distance):
                literals[Self.lengths.code(of: length) + 257] += 1
                distances[Self.distances.code(of: distance)] += 1
            }
        }
        // A reader needs at least one code of each kind.
        if distances.allSatisfy({ $0 == 0 }) { distances[0] = 1 }
        let literalCodes = PrefixCodes(frequencies: literals, limit: 15)
        let distanceCodes = PrefixCodes(frequencies: distances, limit: 15)
        // The last block, with its own codes.
        writer.write(0b101, bits: 3)
        writeHead(literalCodes, distanceCodes)
        for symbol in symbols {
            switch symbol {
            case .literal(let byte): write(Int(byte), literalCodes)
            case .copy(let length, let distance):
                write(length, Self.lengths, literalCodes, offset: 257)
                write(distance, Self.distances, distanceCodes, offset: 0)
            }
        }
        write(Self.endOfBlock, literalCodes)
    }

    /// Writes the lengths of the codes, themselves coded.
    private mutating func writeHead(_ literals: PrefixCodes, _ distances: PrefixCodes) {
        let lengths = literals.lengths + distances.lengths
        var frequencies = [Int](repeating: 0, count: 19)
        for length in lengths { frequencies[length] += 1 }
        let codes = PrefixCodes(frequencies: frequencies, limit: 7)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        writer.write(UInt32(literals.lengths.count - 257), bits: 5)
        writer.write(UInt32(distances.lengths.count - 1), bits: 5)
        writer.write(UInt32(order.count - 4), bits: 4)
        for index in order { writer.write(UInt32(codes.lengths[index]), bits: 3) }
        for length in lengths { write(length, codes) }
    }

    private mutating func write(_ symbol: Int, _ codes: PrefixCodes) {
        writer.write(codes.codes[symbol], bits: codes.lengths[symbol])
    }

    private mutating func write(_ value: Int, _ ranges: Ranges, _ codes: PrefixCodes, offset: Int) {
        let code = ranges.code(of: value)
        write(code + offset, codes)
        writer.write(UInt32(value - ranges.starts[code]), bits: ranges.extra[code])
    }

    private static let endOfBlock = 256
    private static let lengths = Ranges(
        first: 3, extra: [0, 0, 0, 0, 0, 0, 0, 0] + [1, 2, 3, 4, 5].flatMap { [$0, $0, $0, $0] }, last: 258)
    private static let distances = Ranges(first: 1, extra: [0, 0, 0, 0] + (1...13).flatMap { [$0, $0] })
}

/// A byte, or the copy of earlier ones.
private enum Symbol {
    case literal(UInt8)
    case copy(length: Int, distance: Int)
}

/// Finds bytes that occurred before, by the places of the same three bytes.
private struct Repetitions {
    private(set) var symbols: [Symbol] = []

    private static let longest = 258
    private static let farthest = 32_768
    /// The number of earlier places to try: more shrinks little and takes long.
    private static let mostTries = 24
    private static let hashBits = 15

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { find(in: $0) }
    }

    private mutating func find(in bytes: UnsafeBufferPointer<UInt8>) {
        // The newest place of each hash, and for each place the one before; -1 for none.
        var newest = [Int32](repeating: -1, count: 1 << Self.hashBits)
        var before = [Int32](repeating: -1, count: bytes.count)
        func hash(_ place: Int) -> Int {
            let three = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
            return Int((three &* 0x9E37_79B1) >> UInt32(32 - Self.hashBits))
        }
        var place = 0
        while place < bytes.count {
            var best = (length: 0, distance: 0)
            if place + 3 <= bytes.count {
                var candidate = Int(newest[hash(place)])
                var tries = Self.mostTries
                while candidate >= 0, place - candidate <= Self.farthest, tries > 0 {
                    let length = Self.common(bytes, candidate, place)
                    if length > best.length { best = (length, place - candidate) }
                    if length == Self.longest { break }
                    candidate = Int(before[candidate])
                    tries -= 1
                }
            }
            let isCopy = best.length >= 3
            symbols.append(isCopy ? .copy(length: best.length, distance: best.distance) : .literal(bytes[place]))
            for next in place..<(place + (isCopy ? best.length : 1)) where next + 3 <= bytes.count {
                let hash = hash(next)
                before[next] = newest[hash]
                newest[hash] = Int32(next)
            }
            place += isCopy ? best.length : 1
        }
    }

    private static func common(_ bytes: UnsafeBufferPointer<UInt8>, _ one: Int, _ other: Int) -> Int {
        let most = min(longest, bytes.count - other)
        var length = 0
        while length < most, bytes[one + length] == bytes[other + length] { length += 1 }
        return length
    }
}

/// Ranges of values with a code each; a value's place in its range follows in extra bits.
private struct Ranges {
    let extra: [Int]
    let starts: [Int]

    /// - Parameter last: A value with a code of its own after all ranges.
    init(first: Int, extra: [Int], last: Int? = nil) {
        var starts: [Int] = []
        var start = first
        for bits in extra {
            starts.append(start)
            start += 1 << bits
        }
        self.extra = extra + (last == nil ? [] : [0])
        self.starts = starts + (last.map { [$0] } ?? [])
    }

    func code(of value: Int) -> Int {
        var (low, high) = (0, starts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= value { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

/// Huffman's codes with a limited length, in the order that RFC 1951 prescribes, their first bit lowest.
private struct PrefixCodes {
    private(set) var lengths: [Int]
    private(set) var codes: [UInt32]

    init(frequencies: [Int], limit: Int) {
        var shares = frequencies
        lengths = Self.lengths(of: shares)
        // Closer frequencies make the longest codes shorter.
        while lengths.contains(where: { $0 > limit }) {
            shares = shares.map { $0 == 0 ? 0 : $0 / 2 + 1 }
            lengths = Self.lengths(of: shares)
        }
        codes = []
        var counts = [Int](repeating: 0, count: limit + 2)
        for length in lengths where length > 0 { counts[length] += 1 }
        var next = [UInt32](repeating: 0, count: limit + 2)
        for length in 1...limit { next[length + 1] = (next[length] + UInt32(counts[length])) << 1 }
        codes = lengths.map { length in
            guard length > 0 else { return 0 }
            defer { next[length] += 1 }
            return Self.reversed(next[length], bits: length)
        }
    }

    private static func lengths(of frequencies: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: frequencies.count)
        let used = frequencies.indices.filter { frequencies[$0] > 0 }.sorted { frequencies[$0] < frequencies[$1] }
        guard used.count > 1 else {
            for index in used { lengths[index] = 1 }
            return lengths
        }
        // Two queues in rising order: symbols, and joined nodes.
        var weights = used.map { frequencies[$0] }
        var parents = [Int](repeating: 0, count: 2 * used.count - 1)
        var (leaf, node) = (0, used.count)
        func lightest() -> Int {
            if leaf < used.count, node >= weights.count || weights[leaf] <= weights[node] {
                defer { leaf += 1 }
                return leaf
            }
            defer { node += 1 }
            return node
        }
        for _ in 1..<used.count {
            let (one, other) = (lightest(), lightest())
            (parents[one], parents[other]) = (weights.count, weights.count)
            weights.append(weights[one] + weights[other])
        }
        var depths = [Int](repeating: 0, count: parents.count)
        for index in (0..<parents.count - 1).reversed() { depths[index] = depths[parents[index]] + 1 }
        for (index, symbol) in used.enumerated() { lengths[symbol] = depths[index] }
        return lengths
    }

    private static func reversed(_ code: UInt32, bits: Int) -> UInt32 {
        (0..<bits).reduce(0) { $0 << 1 | (code >> UInt32($1) & 1) }
    }
}

/// Bits, the lowest first.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var count = 0

    mutating func write(_ value: UInt32, bits: Int) {
        pending |= UInt64(value) << UInt64(count)
        count += bits
        while count >= 8 {
            bytes.append(UInt8(pending & 0xFF))
            pending >>= 8
            count -= 8
        }
    }

    /// Returns all bytes; the last one is filled with zeros.
    func finished() -> [UInt8] { count > 0 ? bytes + [UInt8(pending & 0xFF)] : bytes }
}

private struct Adler32 {
    private var (low, high): (UInt32, UInt32) = (1, 0)

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
    }

    var bytes: [UInt8] { [UInt8(high >> 8), UInt8(high & 0xFF), UInt8(low >> 8), UInt8(low & 0xFF)] }
}
