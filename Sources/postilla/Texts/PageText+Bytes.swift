import Annotations
import PDFPages

// The form in which a page's words are kept on disk: numbers little-endian, without loss.
extension PageText {
    /// Size, number of words, then for each word its box, line, block, flow, and the length and bytes of its text.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 * words.count + 20)
        func add(_ value: Double) { add(value.bitPattern) }
        func add<Number: FixedWidthInteger>(_ value: Number) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        add(width)
        add(height)
        add(UInt32(words.count))
        for word in words {
            for side in [word.box.left, word.box.top, word.box.width, word.box.height] { add(side) }
            for index in [word.line, word.block, word.flow, word.text.utf8.count] { add(UInt32(clamping: index)) }
            bytes.append(contentsOf: word.text.utf8)
        }
        return bytes
    }

    /// - Returns: nil if the bytes are not a page.
    init?(bytes: [UInt8]) {
        var rest = bytes[...]
        func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            let count = Number.bitWidth / 8
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
        }
        func double() -> Double? { number(UInt64.self).map(Double.init(bitPattern:)) }
        guard let width = double(), let height = double(), let count = number(UInt32.self) else { return nil }
        var words: [Word] = []
        for _ in 0..<count {
            guard let left = double(), let top = double(), let width = double(), let height = double(),
                let line = number(UInt32.self), let block = number(UInt32.self), let flow = number(UInt32.self),
                let length = number(UInt32.self), rest.count >= Int(length)
            else { return nil }
            let text = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
            rest = rest.dropFirst(Int(length))
            words.append(
                Word(
                    text: text, box: Rect(left: left, top: top, width: width, height: height), line: Int(line),
                    block: Int(block), flow: Int(flow)))
        }
        guard rest.isEmpty else { return nil }
        self.init(width: width, height: height, words: words)
    }
}
