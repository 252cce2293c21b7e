import TestSupport

/// One document of two pages and three annotations, in each form that the end of a PDF can have.
///
/// Page 1 has a highlight (object 6) and a note (7) with its pop-up (8); page 2 lists a free text (9) in an array of its
/// own (11).
enum FileForms {
    static let objects: [Int: String] = [
        1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[4 0 R 10 0 R]/Count 2>>",
        3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        4:
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R/Annots[6 0 R 7 0 R 8 0 R]>>",
        5: "<</Length 46>>stream\nBT /F1 20 Tf 10 250 Td (Hello page one) Tj ET\nendstream",
        6:
            "<</Type/Annot/Subtype/Highlight/Rect[10 250 60 270]/QuadPoints[10 270 60 270 10 250 60 250]/C[1 1 0]/X(kept)>>",
        7: "<</Type/Annot/Subtype/Text/Rect[100 250 120 270]/Contents(note)/Popup 8 0 R/Y(kept too)>>",
        8: "<</Type/Annot/Subtype/Popup/Rect[100 150 220 270]/Parent 7 0 R>>",
        9: "<</Type/Annot/Subtype/FreeText/Rect[10 100 160 150]/Contents(free)/DA(0 0 1 rg /Helv 12 Tf)/RC(rich)>>",
        10:
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R/Annots 11 0 R>>",
        11: "[9 0 R]",
    ]

    /// Files that an update continues.
    static let sound: [(name: String, bytes: [UInt8])] = {
        let plain = classic(objects)
        let second = revision(of: plain, [7: objects[7]!.replacing("(note)", with: "(second)")])
        let third = revision(of: second, [4: objects[4]!.replacing("6 0 R ", with: "")], free: [6])
        var (inline, shared, dangling, odd) = (objects, objects, objects, objects)
        inline[4] = objects[4]!.replacing("6 0 R", with: objects[6]!)
        shared[4] = objects[4]!.replacing("[6 0 R 7 0 R 8 0 R]", with: " 11 0 R")
        dangling[7] = objects[7]!.replacing("(kept too)", with: " 12 0 R/Z 44 0 R")
        odd[4] = objects[4]!.replacing("/F1 3 0 R", with: "/F1 3 0 R/A#e9#20b#23 3 0 R/\u{e9} 3 0 R")
        return [
            ("a table", plain), ("no last line end", Array(plain.dropLast())),
            ("carriage returns", classic(objects, line: "\r", entry: " \r")),
            ("both line ends", classic(objects, line: "\r\n", entry: "\r\n")),
            ("a header at byte 13", classic(objects, before: "garbage line\n")),
            ("bytes behind the end", plain + Array(repeating: 10, count: 300) + Array("junk".utf8)),
            ("a stream", streams(compressed: [])), ("object streams", streams(compressed: [2, 4, 6, 7, 8, 9, 10, 11])),
            ("a hybrid", hybrid), ("two revisions", second), ("three revisions and a free object", third),
            ("annotations in the page", classic(inline)), ("a list of two pages", classic(shared)),
            ("references to nothing", classic(dangling)), ("names that are no UTF-8", classic(odd)),
        ]
    }()

    /// Files that qpdf has to repair or decrypt, so that they are rewritten.
    static let unsound: [(name: String, bytes: [UInt8])] = {
        var twice = objects
        twice[2] = "<</Type/Pages/Kids[4 0 R 10 0 R 4 0 R]/Count 3>>"
        return [
            ("a wrong startxref", Array(String(decoding: classic(objects), as: UTF8.self).misplaced.utf8)),
            ("an end too far from the end", classic(objects) + Array(repeating: 10, count: 3000)),
            ("a page that is listed twice", classic(twice)),
            ("a page that is listed twice, and a number to spare", classic(twice, size: 13)),
            ("a wrong place of a page", misplaced(4)), ("a wrong place of an annotation", misplaced(7)),
            ("the largest size that fits into 64 bits", classic(objects, size: 9_223_372_036_854_774_784)),
            ("the largest size that fits into 32 bits", classic(objects, size: 2_147_483_647)),
            ("a size of a billion", classic(objects, size: 1_000_000_000)),
        ]
    }()

    /// A file with a signature.
    ///
    /// - Parameter permission: `/P 2`, for example, or nothing for the default of a certificate; nil: an ordinary
    ///   signature.
    static func signed(_ permission: String?, lock: String = "") -> [Int: String] {
        var signed = objects
        let certificate = permission == nil ? "" : "/Perms<</DocMDP 21 0 R>>"
        signed[1] = "<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[20 0 R]>>\(certificate)>>"
        signed[20] = "<</FT/Sig/T(sig)/V 21 0 R\(lock)/Type/Annot/Subtype/Widget/Rect[0 0 0 0]/P 4 0 R>>"
        let reference = permission.map {
            "/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2\($0)>>>>]"
        }
        signed[21] =
            "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 10 20 30]/Contents<00>\(reference ?? "")>>"
        return signed
    }

    // MARK: Writing

    static func classic(
        _ objects: [Int: String], line: String = "\n", entry: String = " \n", before: String = "", size: Int? = nil
    ) -> [UInt8] {
        var file = Array("%PDF-1.7\(line)".utf8)
        var entries = [0: "0000000000 65535 f"]
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            entries[number] = "\(digits(file.count, 10)) 00000 n"
            file += "\(number) 0 obj\(line)\(body)\(line)endobj\(line)".utf8
        }
        let size = size ?? (objects.keys.max() ?? 0) + 1
        let start = file.count
        file += table(entries, entry).utf8
        file +=
            "trailer\(line)<</Root 1 0 R/Size \(size)/ID[<aa><bb>]>>\(line)startxref\(line)\(start)\(line)%%EOF\(line)"
            .utf8
        return Array(before.utf8) + file
    }

    /// A file whose cross-reference table names a wrong place for an object.
    private static func misplaced(_ number: Int) -> [UInt8] {
        let file = classic(objects)
        guard let place = file.firstRange(of: Array("\n\(number) 0 obj".utf8))?.upperBound else { return file }
        let offset = place - "\(number) 0 obj".utf8.count
        return Array(
            String(decoding: file, as: UTF8.self)
                .replacing("\(digits(offset, 10)) 00000 n", with: "\(digits(offset + 7, 10)) 00000 n").utf8)
    }

    private static func revision(of file: [UInt8], _ objects: [Int: String], free: [Int] = []) -> [UInt8] {
        let text = String(decoding: file, as: UTF8.self)
        let previous = text.components(after: "startxref\n").prefix { $0.isNumber }
        let size = text.components(after: "/Size ").prefix { $0.isNumber }
        var file = file
        var entries: [Int: String] = [:]
        for (number, body) in objects {
            entries[number] = "\(digits(file.count, 10)) 00000 n"
            file += "\(number) 0 obj\n\(body)\nendobj\n".utf8
        }
        for number in free { entries[number] = "0000000000 00001 f" }
        if let first = free.first { entries[0] = "\(digits(first, 10)) 65535 f" }
        let start = file.count
        file += table(entries, " \n").utf8
        file += "trailer\n<</Root 1 0 R/Size \(size)/Prev \(previous)/ID[<aa><cc>]>>\nstartxref\n\(start)\n%%EOF\n".utf8
        return file
    }

    private static func streams(compressed: Set<Int>) -> [UInt8] {
        var file = Array("%PDF-1.7\n".utf8)
        var rows = [0: (0, 0, 65_535)]
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) where !compressed.contains(number) {
            rows[number] = (1, file.count, 0)
            file += "\(number) 0 obj\n\(body)\nendobj\n".utf8
        }
        if !compressed.isEmpty {
            rows[12] = (1, file.count, 0)
            file += objectStream(compressed.sorted()).utf8
            for (index, number) in compressed.sorted().enumerated() { rows[number] = (2, 12, index) }
        }
        let start = file.count
        file += crossReferences(rows, number: 13, at: start)
        return file + "startxref\n\(start)\n%%EOF\n".utf8
    }

    /// Readers without streams do not see the annotations.
    private static let hybrid: [UInt8] = {
        let hidden = [6, 7, 8, 9]
        var file = Array("%PDF-1.7\n".utf8)
        var entries = [0: "0000000000 65535 f"]
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) where !hidden.contains(number) {
            entries[number] = "\(digits(file.count, 10)) 00000 n"
            file += "\(number) 0 obj\n\(body)\nendobj\n".utf8
        }
        for number in hidden { entries[number] = "0000000000 65535 f" }
        entries[12] = "\(digits(file.count, 10)) 00000 n"
        file += objectStream(hidden).utf8
        let stream = file.count
        entries[13] = "\(digits(stream, 10)) 00000 n"
        let rows = Dictionary(uniqueKeysWithValues: hidden.enumerated().map { ($0.element, (2, 12, $0.offset)) })
        file += crossReferences(rows, number: 13, at: stream)
        let start = file.count
        file += table(entries, " \n").utf8
        return file
            + "trailer\n<</Root 1 0 R/Size 14/XRefStm \(stream)/ID[<aa><bb>]>>\nstartxref\n\(start)\n%%EOF\n".utf8
    }()

    private static func objectStream(_ numbers: [Int]) -> String {
        var (head, body) = ("", "")
        for number in numbers {
            head += "\(number) \(body.utf8.count) "
            body += objects[number]! + " "
        }
        let length = head.utf8.count + body.utf8.count
        return
            "12 0 obj\n<</Type/ObjStm/N \(numbers.count)/First \(head.utf8.count)/Length \(length)>>stream\n\(head)\(body)\nendstream\nendobj\n"
    }

    private static func crossReferences(_ rows: [Int: (Int, Int, Int)], number: Int, at place: Int) -> [UInt8] {
        var rows = rows
        rows[number] = (1, place, 0)
        let numbers = rows.keys.sorted()
        let index = numbers.map { "\($0) 1" }.joined(separator: " ")
        let bytes = numbers.flatMap { number -> [UInt8] in
            let (type, place, generation) = rows[number]!
            return [
                UInt8(type), UInt8(place >> 16 & 255), UInt8(place >> 8 & 255), UInt8(place & 255),
                UInt8(generation >> 8), UInt8(generation & 255),
            ]
        }
        let head =
            "\(number) 0 obj\n<</Type/XRef/W[1 3 2]/Index[\(index)]/Size \(number + 1)/Length \(bytes.count)/Root 1 0 R/ID[<aa><bb>]>>stream\n"
        return Array(head.utf8) + bytes + Array("\nendstream\nendobj\n".utf8)
    }

    /// One subsection for each entry.
    private static func table(_ entries: [Int: String], _ end: String) -> String {
        "xref\n"
            + entries.sorted { $0.key < $1.key }.map { "\($0.key) 1\n\($0.value)\(end)" }.joined()
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: count - String(number).count) + String(number)
    }
}

extension String {
    /// The text behind the last occurrence of a word.
    fileprivate func components(after word: String) -> Substring {
        ranges(of: word).last.map { self[$0.upperBound...] } ?? ""
    }

    fileprivate var misplaced: String { replacing("startxref\n", with: "startxref\n1") }
}
