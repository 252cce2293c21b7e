import Screen

// The page as a picture: rendered on request. The keys for pages turn it; any other key removes it.
extension AppState {
    mutating func paintPage() -> [Effect] {
        guard let document else { return [] }
        let picture = ShownPicture(reference: document.reference, page: document.page.index, area: layout.page)
        self.picture = picture
        notice = .done("Page \(picture.page + 1) as a picture; \(pictureKeys) turn it, any other key returns")
        return [.paintPage(picture.page, picture.area)]
    }

    private var pictureKeys: String { "\(keyName(of: .nextPage)) and \(keyName(of: .previousPage))" }

    /// Shows the picture of another page, or the text again.
    mutating func pressedOnPicture(_ key: Key) -> [Effect] {
        let command = keys.read(key, in: contexts, of: keymap)
        switch command {
        case .command(.nextPage, let count), .command(.previousPage, let count):
            let isNext = if case .command(.nextPage, _) = command { true } else { false }
            let before = document?.page.index
            turnPage(by: (isNext ? 1 : -1) * max(1, count ?? 1))
            return document?.page.index == before ? [] : paintPage()
        // A number before the key.
        case .unfinished where !keys.isEmpty && key.isDigit: return []
        default:
            keys.clear()
            return hidePicture()
        }
    }

    mutating func pictureReady() -> [Effect] { picture == nil ? [] : [.showPicture] }

    mutating func pictureFailed(_ why: String) {
        guard picture != nil else { return }
        picture = nil
        notice = .warning(why.asSentence)
    }

    mutating func hidePicture() -> [Effect] {
        guard picture != nil else { return [] }
        picture = nil
        notice = nil
        return [.hidePicture]
    }

    /// Removes the picture when its area is needed for something else.
    mutating func reconcilePicture() -> [Effect] {
        guard let picture else { return [] }
        let stays =
            document?.reference == picture.reference && document?.page.index == picture.page
            && layout.page == picture.area && overlay == nil
        return stays ? [] : hidePicture()
    }
}

extension Key {
    fileprivate var isDigit: Bool {
        guard case .character(let character) = self else { return false }
        return ("0"..."9").contains(character)
    }
}

/// A page shown as a picture instead of text, or being rendered. It stays until a key that does not turn pages, or until
/// its area is needed.
struct ShownPicture: Equatable, Sendable {
    let reference: LayerReference
    /// Counted from 0.
    let page: Int
    let area: Area
}
