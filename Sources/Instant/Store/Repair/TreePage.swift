import SQLite

/// One page of a table or an index in an SQLite file.
struct TreePage {
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13
    }

    /// A row, or an entry of an index.
    struct Cell {
        /// The number of a row; 0 for an entry of an index.
        var number: Int64
        /// nil if it cannot be read: it runs over the end of the page, or one of its further pages is damaged.
        var values: [Value]?
    }

    enum Value: Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob

        var text: String? { if case .text(let text) = self { text } else { nil } }
        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    }

    let kind: Kind
    private let bytes: [UInt8]
    private let cells: [Int]
    /// The pages below an interior page.
    let children: [Int]
    /// Cells whose place is outside the page.
    let strayCells: Int

    /// - Parameter kind: what to take the page for; nil for what it says.
    /// - Returns: nil if the page is neither of a table nor of an index.
    init?(_ bytes: [UInt8]?, number: Int, as kind: Kind? = nil) {
        // The first page begins with the header of the file.
        let start = number == 1 ? 100 : 0
        guard let bytes, let kind = kind ?? Kind(rawValue: bytes[start]) else { return nil }
        self.kind = kind
        self.bytes = bytes
        let isInterior = kind == .tableInterior || kind == .indexInterior
        let head = start + (isInterior ? 12 : 8)
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        guard head + 2 * count <= bytes.count else { return nil }
        let places = (0..<count).map { Int(bytes[head + 2 * $0]) << 8 | Int(bytes[head + 2 * $0 + 1]) }
        cells = places.filter { $0 >= head + 2 * count && $0 + 4 <= bytes.count }
        strayCells = places.count - cells.count
        children =
            isInterior
            ? cells.map { DatabaseImage.number(bytes, $0) } + [DatabaseImage.number(bytes, start + 8)] : []
    }

    /// The cells with contents: none in the interior of a table.
    ///
    /// - Parameter used: Receives the numbers of the further pages of large cells.
    func contents(of image: DatabaseImage, used: (Int) -> Void = { _ in }) -> [Cell] {
        guard kind != .tableInterior else { return [] }
        return cells.map { cell in
            var reader = ByteReader(bytes: bytes, place: cell + (kind == .indexInterior ? 4 : 0))
            guard let size = reader.varint(), let number = kind == .tableLeaf ? reader.varint() : 0 else {
                return Cell(number: 0, values: nil)
            }
            let payload = payload(size, at: reader.place, image, used)
            return Cell(number: number, values: payload.flatMap(Self.values))
        }
    }

    /// Returns all bytes of a cell, of which the page may contain only the first.
    private func payload(
        _ size: Int64, at place: Int, _ image: DatabaseImage, _ used: (Int) -> Void
    ) -> [UInt8]? {
        guard size >= 0, size <= 1 << 28 else { return nil }
        let size = Int(size)
        let usable = DatabaseImage.pageSize
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard size > most else { return place + size <= bytes.count ? Array(bytes[place..<place + size]) : nil }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (size - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard place + local + 4 <= bytes.count else { return nil }
        var payload = Array(bytes[place..<place + local])
        var next = DatabaseImage.number(bytes, place + local)
        while payload.count < size {
            guard let page = image.page(next) else { return nil }
            used(next)
            payload += page[4..<min(page.count, 4 + size - payload.count)]
            next = DatabaseImage.number(page, 0)
        }
        return payload
    }

    /// Parses a record; nil if its parts do not add up.
    static func values(_ record: [UInt8]) -> [Value]? {
        var header = ByteReader(bytes: record, place: 0)
        guard let size = header.varint(), size >= 1, size <= record.count else { return nil }
        var body = ByteReader(bytes: record, place: Int(size))
        var values: [Value] = []
        while header.place < Int(size) {
            guard let type = header.varint(), let value = body.value(type) else { return nil }
            values.append(value)
        }
        return header.place == Int(size) && body.place == record.count ? values : nil
    }
}

/// Reads numbers and texts, and nothing beyond the end.
private struct ByteReader {
    let bytes: [UInt8]
    var place: Int

    /// A number of one to nine bytes.
    mutating func varint() -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }

    mutating func value(_ type: Int64) -> TreePage.Value? {
        switch type {
        case 0: return .null
        case 1, 2, 3, 4: return integer(Int(type)).map { .integer($0) }
        case 5: return integer(6).map { .integer($0) }
        case 6: return integer(8).map { .integer($0) }
        case 7: return integer(8).map { .real(Double(bitPattern: UInt64(bitPattern: $0))) }
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12...:
            let size = Int((type - 12) / 2)
            guard size <= bytes.count - place else { return nil }
            defer { place += size }
            return type % 2 == 0 ? .blob : .text(String(decoding: bytes[place..<place + size], as: UTF8.self))
        default: return nil
        }
    }

    private mutating func integer(_ size: Int) -> Int64? {
        guard size <= bytes.count - place else { return nil }
        defer { place += size }
        let negative: Int64 = bytes[place] >= 0x80 ? -1 : 0
        return bytes[place..<place + size].reduce(negative) { $0 << 8 | Int64($1) }
    }
}

extension TreePage.Value {
    /// The value for a checksum; nil for a blob, which is never written.
    var parameter: SQLValue? {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .blob: nil
        }
    }
}
