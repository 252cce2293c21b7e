import Annotations
package import Screen

/// A picture encoded for a terminal, in pieces to send one after the other. Built only from pixels and numbers: no byte
/// of a file reaches the terminal.
package struct PictureText: Hashable, Sendable {
    /// Each at most as long as a terminal's input buffer.
    let pieces: [[UInt8]]
    /// Ends a partly sent picture.
    let end: [UInt8]
    /// Removes the picture from the screen; empty if text overwrites it.
    let removal: [UInt8]

    static let maxPieceBytes = 4096

    /// - Parameters:
    ///   - room: available cells; a terminal that scales pictures fills them as far as the aspect ratio allows.
    ///   - cell: size of a cell in pixels.
    package init(_ pixels: Pixels, as format: PictureFormat, room: Size, cell: (width: Int, height: Int)) {
        switch format {
        case .kitty:
            let frame = (width: room.columns * cell.width, height: room.rows * cell.height)
            let size = Pixels.fitting((Double(pixels.width), Double(pixels.height)), into: frame)
            pieces = Self.kitty(
                pixels, columns: max(1, size.width / cell.width), rows: max(1, size.height / cell.height))
            end = Array("\u{1B}_Gm=0;\u{1B}\\".utf8)
            removal = Array("\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8)
        case .sixel:
            pieces = Self.cut(SixelPicture(pixels).bytes)
            end = Array("\u{1B}\\".utf8)
            removal = []
        }
    }

    /// Bytes to send.
    package var size: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Requests no answer (`q=2`) and an unmoved cursor (`C=1`); every piece states whether more follow.
    private static func kitty(_ pixels: Pixels, columns: Int, rows: Int) -> [[UInt8]] {
        // Base64 encodes three bytes as four letters.
        let payload = (maxPieceBytes - 96) / 4 * 3
        var pieces: [[UInt8]] = []
        for start in stride(from: 0, to: pixels.bytes.count, by: payload) {
            let part = Array(pixels.bytes[start..<min(start + payload, pixels.bytes.count)])
            let isLast = start + payload >= pixels.bytes.count
            let head =
                start == 0
                ? "a=T,f=24,q=2,C=1,s=\(pixels.width),v=\(pixels.height),c=\(columns),r=\(rows)," : ""
            pieces.append(
                Array("\u{1B}_G\(head)m=\(isLast ? 0 : 1);".utf8) + Base64.encodeBytes(part)
                    + Array("\u{1B}\\".utf8))
        }
        return pieces
    }

    private static func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: maxPieceBytes).map {
            Array(bytes[$0..<min($0 + maxPieceBytes, bytes.count)])
        }
    }
}
