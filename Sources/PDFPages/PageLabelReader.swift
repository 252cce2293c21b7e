import Annotations

/// Reads the page labels of a file (ISO 32000-1, 12.4.2): a number tree of ranges, each with a style, a prefix and a
/// start number.
struct PageLabelReader {
    /// One per page; empty when the file has none.
    let labels: [String]

    private static let maxNodes = 10_000
    private static let maxPrefixLength = 64

    init(_ file: ObjectDump, pageCount: Int) {
        let ranges = Self.ranges(in: file)
        guard !ranges.isEmpty else {
            labels = []
            return
        }
        let starts = ranges.keys.sorted()
        labels = (0..<pageCount).map { page in
            // Pages before the first range are labelled with their number.
            guard let start = starts.last(where: { $0 <= page }), let range = ranges[start] else {
                return "\(page + 1)"
            }
            let first = range["St"].number.flatMap { Int(exactly: $0) } ?? 1
            let number = max(1, min(first, 1_000_000)) + page - start
            return (range.text("P") ?? "").prefix(scalars: Self.maxPrefixLength)
                + Self.text(number, style: range["S"].name)
        }
    }

    private static func ranges(in file: ObjectDump) -> [Int: PDFDictionary] {
        let catalog = PDFDictionary(file.trailer, in: file)?.dictionary("Root")
        var ranges: [Int: PDFDictionary] = [:]
        var waiting = [catalog?.entries["PageLabels"] ?? .null]
        var room = maxNodes
        while let next = waiting.popLast() {
            guard let node = PDFDictionary(next, in: file) else { continue }
            let kids = (node.array("Kids") ?? []).prefix(room)
            room -= kids.count
            waiting += kids
            let pairs = (node.array("Nums") ?? []).prefix(2 * room)
            room -= pairs.count / 2
            for place in stride(from: 0, to: pairs.count - 1, by: 2) {
                guard let start = file.resolve(pairs[place]).number.flatMap({ Int(exactly: $0) }), start >= 0 else {
                    continue
                }
                ranges[start] = PDFDictionary(pairs[place + 1], in: file)
            }
        }
        return ranges
    }

    private static func text(_ number: Int, style: String?) -> String {
        switch style {
        case "D": String(number)
        case "r": roman(number)
        case "R": roman(number).uppercased()
        case "a": letters(number)
        case "A": letters(number).uppercased()
        default: ""
        }
    }

    /// Returns Roman numerals such as `iv`; decimal digits from 5000.
    private static func roman(_ number: Int) -> String {
        guard number < 5000 else { return String(number) }
        let signs = [
            (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
            (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
        ]
        var rest = number
        var text = ""
        for (value, sign) in signs {
            while rest >= value {
                text += sign
                rest -= value
            }
        }
        return text
    }

    /// Returns `a` to `z`, then `aa` to `zz`, repeating the letter once more per pass through the alphabet.
    private static func letters(_ number: Int) -> String {
        let times = min(64, (number - 1) / 26 + 1)
        let letter = Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8((number - 1) % 26)))
        return String(repeating: letter, count: times)
    }
}
