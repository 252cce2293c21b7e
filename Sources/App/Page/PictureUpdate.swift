import Screen

// The page as a picture: rendered on request, removed at the next key.
extension AppState {
    mutating func paintPage() -> [Effect] {
        guard let document else { return [] }
        let picture = ShownPicture(reference: document.reference, page: document.page.index, area: layout.page)
        self.picture = picture
        notice = .done("Page shown as a picture; press any key to return")
        return [.paintPage(picture.page, picture.area)]
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

/// A page shown as a picture instead of text, or being rendered. It stays until the next key, or until its area is
/// needed.
struct ShownPicture: Equatable, Sendable {
    let reference: LayerReference
    /// Counted from 0.
    let page: Int
    let area: Area
}
