import Annotations

// Reads the members common to all kinds, and their parts.
extension AnnotationReader {
    mutating func common() {
        json["opacity"] = .number(JSONNumber(min(1, max(0, source["CA"].number ?? 1))))
        // The `T` entry of a form field's annotation is the field's name, not an author.
        let isField = source["Subtype"].name == "Widget"
        json["creatorName"] = isField ? nil : text("T", limit: Self.maxNameLength).map(JSON.string)
        json["createdAt"] = date("CreationDate")
        json["updatedAt"] = date("M") ?? date("ModDate")
        json["name"] = text("NM", limit: Self.maxNameLength).map(JSON.string)
        json["subject"] = text("Subj", limit: Self.maxNameLength).map(JSON.string)
        let flags = flags
        json["flags"] = flags.isEmpty ? nil : .array(flags.map(JSON.string))
    }

    /// The annotation's `Contents`, or that of its popup, where some writers put it.
    var contents: String? {
        mutating get {
            if let text = text("Contents") { return text }
            return source.dictionary("Popup").flatMap { text("Contents", of: $0) }
        }
    }

    /// Returns a text of this or another dictionary, with line ends as `\n`, cut to `limit` scalars.
    mutating func text(_ key: String, of other: PDFDictionary? = nil, limit: Int = maxTextLength) -> String? {
        guard let whole = (other ?? source).text(key) else { return nil }
        let text = cut(whole, to: limit, limit == Self.maxNameLength ? Self.tooLongName : Self.tooLongText)
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar != "\n" || previous != "\r" { result.append(scalar == "\r" ? "\n" : scalar) }
            previous = scalar
        }
        return String(result)
    }

    private func date(_ key: String) -> JSON? {
        source.text(key).flatMap(Timestamp.init(pdf:)).map { .string($0.iso8601) }
    }

    /// ISO 32000-1, table 165: bit 1 first.
    private var flags: [String] {
        let bits = source["F"].number.flatMap { UInt32(exactly: $0) } ?? 0b100
        // PDF's bit 3 is `Print` and Instant JSON's flag is `noPrint`, so the bit is inverted.
        return AnnotationNames.flags.enumerated().filter { (bits ^ 0b100) & (1 << $0.offset) != 0 }.map(\.element)
    }

    /// Converts an array of 1, 3 or 4 components to `#rrggbb`; nil for an empty array, which means transparent.
    func color(_ key: String) -> JSON? {
        source.numbers(key).flatMap(Color.hexadecimal).map(JSON.string)
    }

    /// Line or border width in points; 1 by default.
    var strokeWidth: JSON {
        let styled = source.dictionary("BS")?["W"].number
        let border = source.array("Border").flatMap { $0.count > 2 ? source.file.resolve($0[2]).number : nil }
        return .number(JSONNumber(max(0, min(1000, styled ?? border ?? 1))))
    }

    /// Lengths of dashes and gaps; nil for a solid line.
    mutating func dashes() -> JSON? {
        guard let style = source.dictionary("BS"), style["S"].name == "D" else { return nil }
        let all = style.numbers("D") ?? [3]
        if all.count > Self.maxDashes { cut("more than \(Self.maxDashes) dashes") }
        let lengths = all.prefix(Self.maxDashes).filter { $0 >= 0 && $0 < 10_000 }
        return lengths.isEmpty ? nil : .array(lengths.map { .number(JSONNumber($0)) })
    }

    /// Returns the numbers of an array in groups of `size`, at most ``maxNumbers`` numbers.
    mutating func groups(_ key: String, of size: Int) -> [ArraySlice<Double>] {
        guard let numbers = source.numbers(key) else { return [] }
        if numbers.count % size != 0 { note("incomplete \(key)") }
        if numbers.count > Self.maxNumbers { cut(size == 8 ? Self.tooManyBoxes : Self.tooManyPoints) }
        let count = min(numbers.count, Self.maxNumbers) / size * size
        return stride(from: 0, to: count, by: size).map { numbers[$0..<$0 + size] }
    }
}

/// PDF colours, with components from 0 to 1.
package enum Color {
    package static func hexadecimal(_ components: [Double]) -> String? {
        let parts = components.map { min(1, max(0, $0)) }
        switch parts.count {
        case 1: return hexadecimal(red: parts[0], green: parts[0], blue: parts[0])
        case 3: return hexadecimal(red: parts[0], green: parts[1], blue: parts[2])
        case 4:
            let light = 1 - parts[3]
            return hexadecimal(red: (1 - parts[0]) * light, green: (1 - parts[1]) * light, blue: (1 - parts[2]) * light)
        default: return nil
        }
    }

    private static func hexadecimal(red: Double, green: Double, blue: Double) -> String {
        "#" + [red, green, blue].map { UInt8(($0 * 255).rounded()) }.hexadecimal
    }
}
