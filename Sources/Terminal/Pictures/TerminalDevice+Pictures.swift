internal import CTerminal
package import Screen

extension TerminalDevice {
    /// Asks whether the terminal shows pictures. The loop hands its answers over, that of its attributes last of all.
    package func askForPictures() { if isInUse { Self.write(PictureFormat.query, to: output) } }

    /// Pixels of a cell; nil where the terminal does not tell.
    package var cell: (width: Int, height: Int)? {
        var width: Int32 = 0
        var height: Int32 = 0
        guard ct_cell_size(output, &width, &height) == 0, width > 0, height > 0 else { return nil }
        return (Int(width), Int(height))
    }

    /// Puts a picture over what is drawn, its upper left corner in a cell. The loop sends it piece by piece as the
    /// terminal takes them, and draws nothing meanwhile.
    package func show(_ text: PictureText, at place: Position) {
        hidePicture()
        if isInUse { picture = PictureSending(text, at: place, cursor: cursor) }
    }

    /// Takes it back, as far as it has come; what was drawn is drawn again.
    package func hidePicture() {
        guard let picture else { return }
        self.picture = nil
        guard picture.sent > 0 else { return }
        Self.write(picture.withdrawal, to: output)
        redraw()
    }

    var hasPicturePieces: Bool { picture?.isWhole == false }

    /// Whether a piece was sent that others have to follow.
    var isAmidPicture: Bool { picture?.isAmid == true }

    func sendPicturePiece() {
        guard isInUse, let bytes = picture?.next(), !bytes.isEmpty else { return }
        Self.write(bytes, to: output)
    }
}
