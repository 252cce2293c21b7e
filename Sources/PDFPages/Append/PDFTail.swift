import SystemPackage

/// The end of a PDF: what an incremental update has to know about the file that it continues (ISO 32000-2, 7.5.5).
struct PDFTail: Hashable {
    /// Bytes of the file.
    let length: Int64
    /// The place of the header `%PDF-`, from which the file counts its offsets.
    let origin: Int64
    /// Offset of the newest cross-reference section.
    let section: Int64
    let kind: Kind
    /// Whether the last byte ends a line.
    let endsLine: Bool

    /// The form of the newest cross-reference section. An update continues it in the same form; a hybrid file counts as
    /// one with tables.
    enum Kind { case table, stream }

    /// A header can begin in the first 1,024 bytes (ISO 32000-1, appendix H).
    private static let headLength = 1029
    /// Where qpdf looks for `startxref`.
    private static let endLength = 1054

    /// - Parameter read: returns the bytes from a place, fewer at the end of the file.
    /// - Returns: nil if the file does not end as the standard demands, which readers repair each in their own way.
    init?(length: Int64, read: (Int64, Int) throws -> [UInt8]) rethrows {
        let head = try read(0, Self.headLength)
        guard let header = head.firstPlace(of: Array("%PDF-".utf8)) else { return nil }
        let start = max(0, length - Int64(Self.endLength))
        let end = try read(start, Self.endLength)
        let mark = Array("startxref".utf8)
        guard let place = end.places(of: mark).last.map({ $0 + mark.count }) else { return nil }
        let digits = end[place...].drop(while: Self.isSpace).prefix { Self.isDigit($0) }
        guard let offset = Int64(String(decoding: digits, as: UTF8.self)), offset > 0,
            offset < length - Int64(header)
        else { return nil }
        guard let kind = Self.kind(try read(Int64(header) + offset, 64)) else { return nil }
        self.length = length
        origin = Int64(header)
        section = offset
        self.kind = kind
        endsLine = end.last == UInt8(ascii: "\n") || end.last == UInt8(ascii: "\r")
    }

    /// - Throws: an error of the file system.
    static func reading(_ path: String) throws -> PDFTail? {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        return try PDFTail(length: file.seek(offset: 0, from: .end)) { place, count in
            var bytes = [UInt8](repeating: 0, count: count)
            let length = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: place, into: $0) }
            return Array(bytes.prefix(length))
        }
    }

    /// Returns the form of the section that begins with these bytes.
    private static func kind(_ bytes: [UInt8]) -> Kind? {
        let bytes = bytes.drop(while: isSpace)
        if bytes.starts(with: "xref".utf8) { return .table }
        // `12 0 obj`
        let words = bytes.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: isSpace)
        guard words.count == 3, words[0].allSatisfy(isDigit), words[1].allSatisfy(isDigit),
            words[2].starts(with: "obj".utf8)
        else { return nil }
        return .stream
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
