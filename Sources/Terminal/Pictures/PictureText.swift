import Annotations
package import Screen

/// A picture as a terminal takes it, in pieces that are sent one after the other. Made of pixels and numbers alone: no
/// byte of a file reaches the terminal.
package struct PictureText: Hashable, Sendable {
    /// None longer than a terminal's input buffer.
    let pieces: [[UInt8]]
    /// Ends a picture of which not all pieces were sent.
    let end: [UInt8]
    /// Takes it off the screen; empty: it goes as text does.
    let removal: [UInt8]

    static let maxPieceBytes = 4096

    /// - Parameters:
    ///   - room: cells there are for it. Where the terminal scales pictures, it fills them as far as its shape allows.
    ///   - cell: pixels of a cell.
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

    /// Bytes that go over the line.
    package var size: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Without an answer (`q=2`) and leaving the cursor where it is (`C=1`); every piece says whether more follow.
    private static func kitty(_ pixels: Pixels, columns: Int, rows: Int) -> [[UInt8]] {
        // Groups of three bytes make four letters each.
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
