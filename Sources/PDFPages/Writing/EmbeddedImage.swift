/// An image that PDF can hold without unpacking: JPEG unchanged, PNG by its compressed rows (ISO 32000-1, 7.4.4.4).
///
/// PDF stores transparency separately from colours, but these files do not, so transparent parts show white paper.
struct EmbeddedImage {
    var entries: [String: PDFObject]
    var bytes: [UInt8]
    /// The colour conversion of a PNG with an alpha channel: a separate stream, referenced at the end of `ColorSpace`.
    var function: Function?
    /// Whether the image has an alpha channel.
    var isMasked = false

    /// A function of type 4 (ISO 32000-1, 7.10.5).
    struct Function {
        var program: String
        var inputs, outputs: Int

        var entries: [String: PDFObject] {
            [
                "FunctionType": .number(4),
                "Domain": .numbers(Array(repeating: [0, 1], count: inputs).flatMap(\.self)),
                "Range": .numbers(Array(repeating: [0, 1], count: outputs).flatMap(\.self)),
            ]
        }
    }

    private static let maxPixels = 100_000_000

    /// - Returns: nil for other formats, damaged files and interlaced PNGs.
    init?(_ file: [UInt8]) {
        if let png = Self.png(file) ?? Self.jpeg(file) { self = png } else { return nil }
    }

    private init?(_ file: [UInt8], width: Int, height: Int, bits: Int, space: PDFObject) {
        guard width > 0, height > 0, width <= Self.maxPixels / height else { return nil }
        bytes = file
        entries = [
            "Type": .name("XObject"), "Subtype": .name("Image"), "Width": .number(Double(width)),
            "Height": .number(Double(height)), "BitsPerComponent": .number(Double(bits)), "ColorSpace": space,
        ]
    }

    // MARK: JPEG

    private static func jpeg(_ file: [UInt8]) -> EmbeddedImage? {
        guard file.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 9 < file.count, file[place] == 0xFF {
            let mark = file[place + 1]
            let length = Int(file[place + 2]) << 8 | Int(file[place + 3])
            // C0 to CB are frame headers, except C4 and C8, which are other segments.
            if (0xC0...0xCB).contains(mark), mark != 0xC4, mark != 0xC8 {
                let height = Int(file[place + 5]) << 8 | Int(file[place + 6])
                let width = Int(file[place + 7]) << 8 | Int(file[place + 8])
                let spaces: [UInt8: String] = [1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK"]
                guard let space = spaces[file[place + 9]] else { return nil }
                var image = EmbeddedImage(file, width: width, height: height, bits: 8, space: .name(space))
                image?.entries["Filter"] = .name("DCTDecode")
                // CMYK JPEG files usually hold inverted values.
                if space == "DeviceCMYK" { image?.entries["Decode"] = .numbers([1, 0, 1, 0, 1, 0, 1, 0]) }
                return image
            }
            guard length >= 2 else { return nil }
            place += 2 + length
        }
        return nil
    }

    // MARK: PNG

    private static func png(_ file: [UInt8]) -> EmbeddedImage? {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        func number(_ place: Int) -> Int { file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        var place = 8
        var head: [UInt8]?
        var (data, palette): ([UInt8], [UInt8]) = ([], [])
        while place + 12 <= file.count {
            let length = number(place)
            guard length <= file.count - place - 12 else { return nil }
            let body = file[(place + 8)..<(place + 8 + length)]
            switch String(decoding: file[(place + 4)..<(place + 8)], as: UTF8.self) {
            case "IHDR": head = Array(body)
            case "PLTE": palette = Array(body)
            case "IDAT": data += body
            default: break
            }
            place += 12 + length
        }
        guard let head, head.count == 13, head[12] == 0, !data.isEmpty else { return nil }
        func size(_ place: Int) -> Int { head[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let bits = Int(head[8])
        guard [1, 2, 4, 8, 16].contains(bits), let (space, function, parts) = colors(of: head[9], palette) else {
            return nil
        }
        var image = EmbeddedImage(data, width: size(0), height: size(4), bits: bits, space: space)
        image?.function = function
        image?.isMasked = function != nil
        image?.entries["Filter"] = .name("FlateDecode")
        image?.entries["DecodeParms"] = .dictionary([
            "Predictor": .number(15), "Colors": .number(Double(parts)), "BitsPerComponent": .number(Double(bits)),
            "Columns": .number(Double(size(0))),
        ])
        return image
    }

    /// Returns the colour space of a PNG colour type, and its number of components.
    private static func colors(
        of type: UInt8, _ palette: [UInt8]
    ) -> (space: PDFObject, function: Function?, parts: Int)? {
        switch type {
        case 0: return (.name("DeviceGray"), nil, 1)
        case 2: return (.name("DeviceRGB"), nil, 3)
        case 3:
            guard palette.count >= 3, palette.count <= 768, palette.count % 3 == 0 else { return nil }
            let last = PDFObject.number(Double(palette.count / 3 - 1))
            return (.array([.name("Indexed"), .name("DeviceRGB"), last, .bytes(palette)]), nil, 1)
        case 4:
            let program = "dup 3 1 roll mul 1 add exch sub"
            return (onPaper(["Gray"], "DeviceGray"), Function(program: program, inputs: 2, outputs: 1), 2)
        case 6:
            let mixed = (1...3).map { "4 3 roll \($0) index mul 1 add \($0) index sub" }
            let program = mixed.joined(separator: " ") + " 4 3 roll pop"
            return (
                onPaper(["Red", "Green", "Blue"], "DeviceRGB"), Function(program: program, inputs: 4, outputs: 3), 4
            )
        default: return nil
        }
    }

    /// A colour space with alpha as an extra component, blended with white by a function: c · a + 1 − a.
    private static func onPaper(_ colors: [String], _ space: String) -> PDFObject {
        .array([.name("DeviceN"), .array((colors + ["Alpha"]).map(PDFObject.name)), .name(space), .null])
    }
}
