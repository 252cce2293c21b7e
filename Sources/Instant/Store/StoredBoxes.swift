import Annotations
import SQLite

/// The box and the rectangles of a row as stored: four numbers each, separated by blanks. An absent box has the width -1.
///
/// A page of ten thousand marks is read while it is waited for, so the numbers are read without a string for each.
enum StoredBoxes {
    static func text(box: Rect?, rects: [Rect]) -> String {
        ([box ?? Rect(left: 0, top: 0, width: -1, height: 0)] + rects)
            .map { "\($0.left) \($0.top) \($0.width) \($0.height)" }.joined(separator: " ")
    }

    /// Skips everything that is not a number, and an incomplete box at the end.
    static func boxes(in text: some Collection<UInt8>) -> (box: Rect?, rects: [Rect]) {
        var box: Rect?
        var rects: [Rect] = []
        var isFirst = true
        var (left, top, width) = (0.0, 0.0, 0.0)
        var count = 0
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
            if let number = number(text[start..<end]) {
                switch count {
                case 0: left = number
                case 1: top = number
                case 2: width = number
                default:
                    let rect = Rect(left: left, top: top, width: width, height: number)
                    if isFirst { box = width < 0 ? nil : rect } else { rects.append(rect) }
                    isFirst = false
                }
                count = (count + 1) % 4
            }
            start = end < text.endIndex ? text.index(after: end) : end
        }
        return (box, rects)
    }

    /// Up to 15 digits and the power of ten below them are exact in a `Double`, and so their quotient is the nearest
    /// number. Everything else is left to the standard library.
    private static func number(_ text: some Collection<UInt8>) -> Double? {
        var digits = 0
        var decimals = 0
        var isFraction = false
        var value: Int64 = 0
        var bytes = text.makeIterator()
        var next = bytes.next()
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { next = bytes.next() }
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 15:
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
                digits += 1
                if isFraction { decimals += 1 }
            case UInt8(ascii: ".") where !isFraction && digits > 0: isFraction = true
            default: return Double(String(decoding: text, as: UTF8.self))
            }
            next = bytes.next()
        }
        guard digits > 0 else { return Double(String(decoding: text, as: UTF8.self)) }
        let number = Double(value) / powers[decimals]
        return isNegative ? -number : number
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
