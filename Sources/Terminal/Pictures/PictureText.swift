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
    /// The cells that it covers.
    package let cells: Size
    /// Whether cells of the screen show it (`PictureCells`), so that it lies over nothing.
    let isInCells: Bool

    static let maxPieceBytes = 4096

    /// - Parameters:
    ///   - room: available cells; a terminal that scales pictures fills them as far as the aspect ratio allows.
    ///   - cell: size of a cell in pixels.
    package init(_ pixels: Pixels, as format: PictureFormat, room: Size, cell: (width: Int, height: Int)) {
        let frame = (width: room.columns * cell.width, height: room.rows * cell.height)
        switch format {
        case .kitty, .placeholders:
            let size = Pixels.fitting((Double(pixels.width), Double(pixels.height)), into: frame)
            cells = Size(rows: max(1, size.height / cell.height), columns: max(1, size.width / cell.width))
            let isWrapped = if case .placeholders = format { true } else { false }
            let keys =
                switch format {
                case .placeholders(let id): "a=T,U=1,i=\(id),f=100,q=2,c=\(cells.columns),r=\(cells.rows),"
                default: "a=T,f=100,q=2,C=1,c=\(cells.columns),r=\(cells.rows),"
                }
            let all =
                switch format {
                case .placeholders(let id): "\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\"
                default: "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"
                }
            func wrapped(_ bytes: [UInt8]) -> [UInt8] { isWrapped ? Self.passedThrough(bytes) : bytes }
            pieces = Self.kitty(PNGPicture(pixels).bytes, keys: keys).map(wrapped)
            end = wrapped(Array("\u{1B}_Gm=0;\u{1B}\\".utf8))
            removal = wrapped(Array(all.utf8))
            isInCells = isWrapped
        case .sixel:
            cells = Size(
                rows: (pixels.height + cell.height - 1) / cell.height,
                columns: (pixels.width + cell.width - 1) / cell.width)
            pieces = Self.cut(SixelPicture(pixels).bytes)
            end = Array("\u{1B}\\".utf8)
            removal = []
            isInCells = false
        }
    }

    /// Bytes to send.
    package var size: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Wraps a sequence so that tmux hands it to its terminal.
    static func passedThrough(_ bytes: [UInt8]) -> [UInt8] {
        Array("\u{1B}Ptmux;".utf8) + bytes.flatMap { $0 == 0x1B ? [$0, $0] : [$0] } + Array("\u{1B}\\".utf8)
    }

    /// Requests no answer (`q=2`) and an unmoved cursor (`C=1`); every piece states whether more follow.
    private static func kitty(_ bytes: [UInt8], keys: String) -> [[UInt8]] {
        // Base64 encodes three bytes as four letters.
        let payload = (maxPieceBytes - 128) / 4 * 3
        var pieces: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: payload) {
            let part = Array(bytes[start..<min(start + payload, bytes.count)])
            let isLast = start + payload >= bytes.count
            pieces.append(
                Array("\u{1B}_G\(start == 0 ? keys : "")m=\(isLast ? 0 : 1);".utf8) + Base64.encodeBytes(part)
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
