import GRDBSQLite

/// A 64-bit checksum of the values of a row, stored in the row, to detect bytes that changed on disk. It does not protect
/// from people who change a row on purpose.
///
/// Texts are hashed with XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), seeded with the checksum of the values
/// before them.
package struct RowChecksum: Hashable, Sendable {
    private var state: UInt64 = 0

    package init() {}

    /// As stored in an INTEGER column.
    package var value: Int64 { Int64(bitPattern: state) }

    package mutating func addNull() { state = XXH64.mixed(state ^ 1) }

    package mutating func add(_ number: Int64) {
        state = XXH64.mixed(XXH64.mixed(state ^ 2) ^ UInt64(bitPattern: number))
    }

    package mutating func add(_ text: UnsafeRawBufferPointer) {
        state = XXH64.hash(text, seed: state ^ 3)
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    package mutating func add(_ number: Double) {
        // SQLite stores -0 as 0.
        state = XXH64.mixed(XXH64.mixed(state ^ 5) ^ (number == 0 ? 0 : number.bitPattern))
    }

    /// A value of a type that is never written: a blob.
    package mutating func addUnknown() { state = XXH64.mixed(state ^ 4) }

    package static func of(_ values: [SQLValue]) -> Int64 { of(values[...]) }

    package static func of(_ values: ArraySlice<SQLValue>) -> Int64 {
        var sum = RowChecksum()
        sum.add(values)
        return sum.value
    }

    package mutating func add(_ values: ArraySlice<SQLValue>) {
        for value in values {
            switch value {
            case .null: addNull()
            case .integer(let number): add(number)
            case .real(let number): add(number)
            case .text(let text): add(text)
            }
        }
    }
}

extension Columns {
    private func size(_ column: Int32) -> Int { Int(sqlite3_column_bytes(row, column)) }

    /// Returns whether `count` columns have the checksum that is in the column after them.
    ///
    /// - Parameter first: the first of these columns.
    package func isIntact(_ count: Int32, from first: Int32 = 0) -> Bool {
        var sum = RowChecksum()
        for column in first..<first + count {
            switch sqlite3_column_type(row, column) {
            case SQLITE_NULL: sum.addNull()
            case SQLITE_INTEGER: sum.add(integer(column))
            case SQLITE_FLOAT: sum.add(real(column))
            case SQLITE_TEXT: sum.add(UnsafeRawBufferPointer(start: bytes(column)?.baseAddress, count: size(column)))
            default: sum.addUnknown()
            }
        }
        let stored = first + count
        return sqlite3_column_type(row, stored) == SQLITE_INTEGER && integer(stored) == sum.value
    }
}

/// The hash function XXH64.
enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var place = 0
        var hash: UInt64
        if count >= 32 {
            var (one, two) = (seed &+ prime1 &+ prime2, seed &+ prime2)
            var (three, four) = (seed, seed &- prime1)
            while place <= count - 32 {
                one = round(one, word(bytes, place))
                two = round(two, word(bytes, place + 8))
                three = round(three, word(bytes, place + 16))
                four = round(four, word(bytes, place + 24))
                place += 32
            }
            hash = rotated(one, 1) &+ rotated(two, 7) &+ rotated(three, 12) &+ rotated(four, 18)
            for lane in [one, two, three, four] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(count)
        while place <= count - 8 {
            hash = rotated(hash ^ round(0, word(bytes, place)), 27) &* prime1 &+ prime4
            place += 8
        }
        if place <= count - 4 {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            hash = rotated(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
            place += 4
        }
        while place < count {
            hash = rotated(hash ^ (UInt64(bytes[place]) &* prime5), 11) &* prime1
            place += 1
        }
        return mixed(hash)
    }

    /// The function's last step, which spreads every bit over all others.
    static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotated(lane &+ input &* prime2, 31) &* prime1
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
}
