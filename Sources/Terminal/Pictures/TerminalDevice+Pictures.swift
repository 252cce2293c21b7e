internal import CTerminal
package import Screen

extension TerminalDevice {
    /// Queries the terminal's picture support. The loop delivers the answers as reports, the attributes last.
    package func askForPictures(throughTmux: Bool = false) {
        ask(PictureFormat.query(throughTmux: throughTmux))
    }

    /// Size of a cell in pixels; nil if the terminal does not report it.
    package var cell: (width: Int, height: Int)? {
        var width: Int32 = 0
        var height: Int32 = 0
        guard ct_cell_size(output, &width, &height) == 0, width > 0, height > 0 else { return nil }
        return (Int(width), Int(height))
    }

    /// Shows a picture over the screen, its upper left corner at `place`. The loop sends it piece by piece as the
    /// terminal accepts them, and does not draw meanwhile.
    package func show(_ text: PictureText, at place: Position) {
        hidePicture()
        if isInUse { picture = PictureSending(text, at: place, cursor: cursor) }
    }

    /// Removes the picture, even if partly sent, and redraws the screen where it lay over text.
    package func hidePicture() {
        guard let picture else { return }
        self.picture = nil
        guard picture.sent > 0 else { return }
        Self.write(picture.withdrawal, to: output)
        if !picture.text.isInCells { redraw() }
    }

    var hasPicturePieces: Bool { picture?.isWhole == false }

    /// Whether the picture is partly sent.
    var isAmidPicture: Bool { picture?.isAmid == true }

    func sendPicturePiece() {
        guard isInUse, let bytes = picture?.next(), !bytes.isEmpty else { return }
        Self.write(bytes, to: output)
    }
}
