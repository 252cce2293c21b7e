import PageLayout
import Screen

// The page as a picture: on request, or by itself where the page has no text. On request, its keys turn and zoom it, and
// any other key brings the text back. By itself, it takes only its own keys, and only while the page has the focus.
extension AppState {
    /// Shows the page as a picture; again: as text.
    mutating func paintPage() -> [Effect] {
        guard let document, picture == nil else { return hidePicture() }
        self.document?.pictureUnwantedOn = nil
        // Where there is room for one pane only, the page takes the place of the list.
        if layout.page.isEmpty { self.document?.focus = .page }
        var picture = ShownPicture(reference: document.reference, page: document.page.index, area: layout.page)
        picture.isAutomatic = document.page.glyphs?.isEmpty == true
        return paint(picture)
    }

    private mutating func paint(_ picture: ShownPicture) -> [Effect] {
        self.picture = picture
        if !picture.isAutomatic { notice = .done(Self.title(of: picture)) }
        return [.paintPage(picture.page, picture.area, picture.view)]
    }

    private static func title(of picture: ShownPicture) -> String {
        let zoom = picture.view.zoom > 1 ? ", \(Int((picture.view.zoom * 100).rounded())) %" : ""
        return "Page \(picture.page + 1) as a picture\(zoom)"
    }

    /// Whether the picture's own keys are in use.
    var hasPictureKeys: Bool {
        guard let picture else { return false }
        return !picture.isAutomatic || document?.focus == .page
    }

    /// Handles a key while a picture is shown on request; nil if it is to be handled as usual.
    mutating func pressedOnPicture(_ key: Key) -> [Effect]? {
        guard let picture, !picture.isAutomatic else { return nil }
        switch keys.read(key, in: [.picture, .moving], of: keymap) {
        case .command(let command, let count): return runOnPicture(command, count) ?? hidePicture()
        // A number before the key.
        case .unfinished where key.isDigit: return []
        case .unfinished, .nothing:
            keys.clear()
            return hidePicture()
        }
    }

    /// Runs a command of the picture; nil if it is none.
    mutating func runOnPicture(_ command: Command, _ count: Int?) -> [Effect]? {
        guard var picture, hasPictureKeys else { return nil }
        let times = max(1, min(count ?? 1, 100))
        switch command {
        case .nextPage, .previousPage:
            guard !picture.isAutomatic else { return nil }
            let before = document?.page.index
            turnPage(by: (command == .nextPage ? 1 : -1) * times)
            guard let index = document?.page.index, index != before else { return [] }
            picture.page = index
            picture.cells = nil
            picture.view.y = 0
        case .zoomIn, .zoomOut:
            guard picture.view.zoom(by: command == .zoomIn ? times : -times) else { return [] }
        case .left, .right, .up, .down:
            guard picture.view.zoom > 1 else { return picture.isAutomatic ? nil : [] }
            picture.view.move(command, times: times)
        case .picture, .escape:
            if picture.isAutomatic { document?.pictureUnwantedOn = picture.page }
            return hidePicture()
        default: return nil
        }
        return paint(picture)
    }

    mutating func pictureReady(_ view: PictureView) -> [Effect] {
        guard picture != nil else { return [] }
        // Cells that stand for the pixels follow.
        picture?.cells = nil
        picture?.isInPixels = true
        picture?.view = view
        return [.showPicture]
    }

    mutating func pictureCame(_ cells: PictureCells, _ view: PictureView) {
        picture?.cells = cells
        picture?.view = view
    }

    mutating func pictureFailed(_ why: String) -> [Effect] {
        guard let picture else { return [] }
        // What fails by itself is not tried again and again.
        document?.pictureUnwantedOn = picture.page
        self.picture = nil
        if !picture.isAutomatic { notice = .warning(why.asSentence) }
        return [.hidePicture]
    }

    mutating func hidePicture() -> [Effect] {
        guard let picture else { return [] }
        self.picture = nil
        if notice?.text == Self.title(of: picture) { notice = nil }
        return [.hidePicture]
    }

    /// Removes the picture when its area is needed for something else.
    mutating func reconcilePicture() -> [Effect] {
        guard let picture else { return [] }
        let isPromptOnly = picture.isAutomatic && overlay == .prompt
        let stays =
            document?.reference == picture.reference && document?.page.index == picture.page
            && layout.page == picture.area && (overlay == nil || isPromptOnly)
        return stays ? [] : hidePicture()
    }

    /// A page without text opens as a picture.
    mutating func reconcileAutomaticPicture() -> [Effect] {
        guard showsPicturesAlone, let document else { return [] }
        let area = layout.page
        guard picture == nil, overlay == nil, document.pictureUnwantedOn != document.page.index,
            document.pdf.info != nil,
            document.page.glyphs?.isEmpty == true, area.rows > 2, area.columns > 4
        else { return [] }
        var picture = ShownPicture(reference: document.reference, page: document.page.index, area: area)
        picture.isAutomatic = true
        return paint(picture)
    }
}

extension Key {
    fileprivate var isDigit: Bool {
        guard case .character(let character) = self else { return false }
        return ("0"..."9").contains(character)
    }
}

/// A page shown as a picture instead of text, or being rendered. It stays until a key removes it, or until its area is
/// needed.
struct ShownPicture: Equatable, Sendable {
    let reference: LayerReference
    /// Counted from 0.
    var page: Int
    let area: Area
    var view = PictureView()
    /// The picture as cells; nil while none is known, or where the terminal shows pixels over the screen.
    var cells: PictureCells?
    /// Whether the terminal shows it in pixels.
    var isInPixels = false
    /// Whether it is shown because the page has no text.
    var isAutomatic = false

    /// Whether nothing else is drawn in its area. Until the picture of a page without text comes, the page's marks are
    /// listed there.
    var hasTheArea: Bool { !isAutomatic || isInPixels || cells != nil }

    init(reference: LayerReference, page: Int, area: Area) {
        (self.reference, self.page, self.area) = (reference, page, area)
    }
}

/// The part of a page that its picture shows.
package struct PictureView: Hashable, Sendable {
    /// 1 for the whole page.
    package var zoom = 1.0
    /// The middle of the visible part, as parts of the page: 0 is at the left or the top, 1 at the right or the bottom.
    package var x = 0.5
    package var y = 0.5

    package init() {}

    private static let steps = [1, 1.5, 2, 3, 4, 6, 8]

    /// Returns false if there is no larger or smaller one.
    fileprivate mutating func zoom(by steps: Int) -> Bool {
        let index = Self.steps.lastIndex { $0 <= zoom } ?? 0
        let next = Self.steps[max(0, min(Self.steps.count - 1, index + steps))]
        guard next != zoom else { return false }
        zoom = next
        return true
    }

    /// Moves by a quarter of what is visible.
    fileprivate mutating func move(_ command: Command, times: Int) {
        let step = 0.25 / zoom * Double(times)
        switch command {
        case .left: x = max(0, x - step)
        case .right: x = min(1, x + step)
        case .up: y = max(0, y - step)
        case .down: y = min(1, y + step)
        default: break
        }
    }
}
