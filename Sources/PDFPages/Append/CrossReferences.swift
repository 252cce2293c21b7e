import Annotations

/// The cross-reference section and trailer of an incremental update (ISO 32000-2, 7.5.4, 7.5.6, 7.5.8). Neither is
/// compressed.
struct CrossReferences {
    private var places: [Int: Place] = [:]

    private enum Place {
        case used(offset: Int64, generation: Int)
        case free
    }

    var isEmpty: Bool { places.isEmpty }

    mutating func add(_ id: ObjectID, at offset: Int64) {
        places[id.number] = .used(offset: offset, generation: id.generation)
    }

    /// Marks an object as free for good: generation 65,535, and outside the list of numbers that may be used again.
    mutating func free(_ id: ObjectID) { places[id.number] = .free }

    /// Returns the section with its trailer; nil if the file's own trailer cannot be continued.
    ///
    /// - Parameters:
    ///   - trailer: of the file.
    ///   - size: one more than the highest object number of the file and of the update.
    ///   - own: the object of a cross-reference stream; nil for a table.
    ///   - start: the offset at which the section begins.
    ///   - digest: of the update, for the second part of the file's id.
    mutating func section(
        after tail: PDFTail, trailer: ObjectSource, size: Int, as own: ObjectID?, at start: Int64, digest: UpdateDigest
    ) -> [UInt8]? {
        var trailer = trailer
        trailer["XRefStm"] = nil
        trailer.set("Prev", to: .number(Double(tail.section)))
        if let id = trailer["ID"].map(ObjectSource.object)?.array, id.count == 2,
            let first = trailer["ID"].flatMap(ObjectSource.items)?.first
        {
            let second = Array("\"b:\(digest.bytes.hexadecimal)\"".utf8)
            trailer["ID"] = ObjectSource.array([first, second[...]])[...]
        }
        trailer.set("Size", to: .number(Double(size)))
        guard let own else {
            guard let dictionary = PDFSyntax.text(trailer.json[...]) else { return nil }
            return Array("xref\n".utf8) + table + "trailer\n".utf8 + dictionary + ending(start)
        }
        add(own, at: start)
        for key in Self.streamEntries { trailer[key] = nil }
        let (rows, widths) = rows
        trailer.set("Type", to: .name("XRef"))
        trailer.set("W", to: Self.integers(widths))
        trailer.set("Index", to: Self.integers(runs.flatMap { [$0.lowerBound, $0.count] }))
        trailer.set("Length", to: .number(Double(rows.count)))
        guard let dictionary = PDFSyntax.text(trailer.json[...]) else { return nil }
        return Array("\(own.number) 0 obj\n".utf8) + dictionary + "\nstream\n".utf8 + rows
            + "\nendstream\nendobj\n".utf8 + ending(start)
    }

    /// Entries of the file's own cross-reference stream, which say nothing about the document.
    private static let streamEntries = [
        "Type", "Index", "W", "Length", "Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL",
    ]

    private static func integers(_ numbers: [Int]) -> PDFObject { .array(numbers.map { .number(Double($0)) }) }

    private func ending(_ start: Int64) -> [UInt8] { Array("\nstartxref\n\(start)\n%%EOF\n".utf8) }

    /// The numbers in ascending order, split where one is missing.
    private var runs: [Range<Int>] {
        places.keys.sorted().reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound == number {
                runs[runs.count - 1] = last.lowerBound..<(number + 1)
            } else {
                runs.append(number..<(number + 1))
            }
        }
    }

    /// Each entry has exactly 20 bytes.
    private var table: [UInt8] {
        var bytes: [UInt8] = []
        for run in runs {
            bytes += "\(run.lowerBound) \(run.count)\n".utf8
            for number in run {
                switch places[number] {
                case .used(let offset, let generation)?:
                    bytes += "\(Self.digits(offset, 10)) \(Self.digits(Int64(generation), 5)) n \n".utf8
                default: bytes += "0000000000 65535 f \n".utf8
                }
            }
        }
        return bytes
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The rows of a stream: type, offset, generation.
    private var rows: (bytes: [UInt8], widths: [Int]) {
        let highest = places.values.reduce(Int64(0)) { highest, place in
            if case .used(let offset, _) = place { max(highest, offset) } else { highest }
        }
        let width = max(1, (64 - highest.leadingZeroBitCount + 7) / 8)
        var bytes: [UInt8] = []
        for number in runs.joined() {
            var (type, offset, generation) = (UInt8(0), Int64(0), 65_535)
            if case .used(let place, let own)? = places[number] { (type, offset, generation) = (1, place, own) }
            bytes.append(type)
            for index in (0..<width).reversed() { bytes.append(UInt8(offset >> (8 * index) & 255)) }
            bytes += [UInt8(generation >> 8 & 255), UInt8(generation & 255)]
        }
        return (bytes, [1, width, 2])
    }
}

/// A checksum that tells one revision of a file from another (ISO 32000-2, 14.4); not secure. Equal updates of equal
/// files have equal ones.
struct UpdateDigest {
    /// Two FNV-1a hashes of 64 bits, which begin differently.
    private var parts: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4]

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            for index in parts.indices { parts[index] = (parts[index] ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
    }

    var bytes: [UInt8] { parts.flatMap { part in (0..<8).map { UInt8(part >> (56 - 8 * $0) & 255) } } }
}
