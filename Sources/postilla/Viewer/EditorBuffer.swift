import Annotations
import Screen

/// A text as the buffer of the person's editor, and the way back. Control characters are removed, because an editor may
/// send them to the terminal; then the first line says so.
struct EditorBuffer {
    /// What the editor opens: it ends with a line end, as text files do.
    let contents: String
    private let text: String
    /// The line in front of the text; nil where nothing was removed.
    private let notice: String?

    init(_ text: String) {
        let clean = LeavingText(text)
        let removed =
            "\(clean.removed) control character\(clean.removed == 1 ? " was" : "s were") removed from this text"
        self.text = text
        notice = clean.removed == 0 ? nil : "[\(removed). This line is not part of it.]\n"
        contents = (notice ?? "") + clean.string + "\n"
    }

    /// Returns the text of a saved buffer, without what ``init(_:)`` added: the original, byte for byte, if the buffer was
    /// not changed.
    func text(of saved: String) -> String {
        // An editor may write other line ends than the ones it read, also after the notice.
        let saved = saved.replacing(scalars: "\r\n", with: "\n")
        guard !saved.isExactly(contents) else { return text }
        var bytes = Array(saved.utf8)[...]
        if let notice, bytes.starts(with: notice.utf8) { bytes = bytes.dropFirst(notice.utf8.count) }
        if bytes.last == 0x0A { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
