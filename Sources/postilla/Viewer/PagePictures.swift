import App
import PDFPages
import Screen
import Synchronization
import Terminal

/// Shows pages as pictures. With the first request it asks the terminal what it can show, and meanwhile shows the page
/// as cells, which every terminal can; a terminal that soon reports pixels gets these. Pages are rendered in the
/// background and sent once the program has cleared the space. Then the next page is rendered, too.
///
/// Used on the loop's thread only, except for rendering.
final class PagePictures {
    struct Request: Sendable {
        var pages: PageReader
        /// Returns the annotations to draw on a page; nil for those of the file.
        var records: @Sendable (_ page: Int) async throws -> [DrawnRecord]?
        /// The page's index, counted from 0.
        var page: Int
        var area: Area
        var view: PictureView
        /// Posts the outcome.
        var post: @Sendable (Message) -> Void
    }

    private enum PictureSupport {
        case unknown
        /// By the loop's clock.
        case asked(since: Int64)
        /// nil: cells only.
        case known(PictureFormat?)
    }

    private let device: TerminalDevice
    /// The picture's number for tmux; nil without tmux.
    private let tmuxID: UInt8?
    private var support = PictureSupport.unknown
    private var reports: [TerminalReport] = []
    /// The picture that is wanted or shown.
    private var current: Request?
    private var painting: Task<Void, Never>?
    private let slot = PaintingSlot()
    private let shelf = PictureShelf()
    /// The direction in which pages were turned last.
    private var step = 1
    private var lastPage: Int?
    /// That of the current request.
    private var place: PictureShelf.Place?

    /// The slot for a rendered picture.
    private final class PaintingSlot: Sendable {
        let text = Mutex<PictureText?>(nil)
    }

    /// A terminal that takes longer to report gets cells, which are less to send.
    private static let timeout: Int64 = 250
    /// The maximum number of pixels in one picture, about a megapixel; more is hardly visible and slow to send.
    fileprivate static let maxPixels = 1_000_000
    /// The maximum number of bytes sent for one picture.
    fileprivate static let maxBytes = 6_000_000
    /// The cell size if the terminal does not report it.
    private static let usualCell = (width: 8, height: 16)

    /// - Parameter isInTmux: Whether tmux is between the program and the terminal.
    init(_ device: TerminalDevice, isInTmux: Bool) {
        self.device = device
        // Numbers are the terminal's: two programs should not take the same.
        tmuxID = isInTmux ? UInt8.random(in: 32...250) : nil
    }

    func paint(_ request: Request) {
        painting?.cancel()
        if let page = lastPage, page != request.page { step = request.page > page ? 1 : -1 }
        (current, lastPage) = (request, request.page)
        slot.text.withLock { $0 = nil }
        switch support {
        case .unknown:
            support = .asked(since: TerminalLoop<Message>.now)
            reports = []
            device.askForPictures(throughTmux: tmuxID != nil)
            paint(request, as: nil)
        case .asked: paint(request, as: nil)
        case .known(let format): paint(request, as: format)
        }
    }

    /// Terminals report their attributes last, but tmux reports its own first.
    func heard(_ report: TerminalReport) {
        reports.append(report)
        guard case .asked(let since) = support else { return }
        let isLate = TerminalLoop<Message>.now - since > Self.timeout
        let format = isLate ? nil : PictureFormat(reports, tmux: tmuxID).flatMap { usable($0) }
        let isLast = if case .attributes = report { tmuxID == nil } else { false }
        guard isLate || isLast || format != nil else { return }
        // A line that was slow once is asked again with the next picture.
        support = isLate ? .unknown : .known(format)
        // A terminal that does not support the query may have printed it.
        if format != .kitty, tmuxID == nil { device.redraw() }
        if let format, let current { paint(current, as: format) }
    }

    func show() {
        guard let request = current, let text = slot.text.withLock({ $0 }) else { return }
        let left = max(0, (request.area.columns - text.cells.columns) / 2)
        device.show(text, at: Position(row: request.area.row, column: request.area.column + left))
    }

    func hide() {
        painting?.cancel()
        if let place { shelf.stop { $0 == place } }
        (painting, current, place) = (nil, nil, nil)
        slot.text.withLock { $0 = nil }
        device.hidePicture()
    }

    /// Cells tell the number of their picture by one of 256 colours.
    private func usable(_ format: PictureFormat) -> PictureFormat? {
        guard case .placeholders = format else { return format }
        return device.isUTF8 && [.many, .direct].contains(device.colorDepth) ? format : nil
    }

    private func paint(_ request: Request, as format: PictureFormat?) {
        painting?.cancel()
        // Cells are taken to be twice as high as wide.
        let cell = format == nil ? Self.usualCell : device.cell ?? Self.usualCell
        // Where a whole page is in its middle makes no difference.
        let view = request.view.zoom > 1 ? request.view : PictureView()
        let place = PictureShelf.Place(
            pages: request.pages, page: request.page, room: request.area.size, view: view, format: format,
            cell: PictureShelf.PixelSize(width: cell.width, height: cell.height))
        shelf.stop { $0 != place }
        self.place = place
        let isLasting = if case .known = support { true } else { false }
        let job = Job(
            place: place, records: request.records, post: request.post, depth: device.colorDepth,
            look: PictureCells.Look(device.colorDepth, isUTF8: device.isUTF8), slot: slot, shelf: shelf,
            next: isLasting ? request.page + step : nil)
        painting = Task { await job.run() }
    }

    /// One picture to be shown, off the loop.
    private struct Job: Sendable {
        let place: PictureShelf.Place
        let records: @Sendable (_ page: Int) async throws -> [DrawnRecord]?
        let post: @Sendable (Message) -> Void
        let depth: ColorDepth
        let look: PictureCells.Look
        let slot: PaintingSlot
        let shelf: PictureShelf
        /// The page to be rendered afterwards.
        let next: Int?

        func run() async {
            do {
                try await show()
            } catch is CancellationError {
                return
            } catch { post(.pictureFailed("\(error)")) }
        }

        private func show() async throws {
            let records = try await records(place.page)
            try Task.checkCancellation()
            let picture = try await shelf.picture(at: place, showing: records) { try await render(place, records) }
            try Task.checkCancellation()
            switch picture.form {
            case .cells(let cells): post(.pictureCells(cells, picture.view))
            case .pixels(let text, let placeholders):
                slot.text.withLock { $0 = text }
                post(.pictureReady(picture.view))
                if let placeholders { post(.pictureCells(placeholders, picture.view)) }
            }
            guard let next, await place.pages.has(next) else { return }
            try Task.checkCancellation()
            let nextPlace = place.turned(to: next, from: picture.view)
            shelf.prepare(nextPlace) { try await render(nextPlace, try await self.records(next)) }
        }

        private func render(
            _ place: PictureShelf.Place, _ records: [DrawnRecord]?
        ) async throws -> PictureShelf.Picture {
            let (room, cell) = (place.room, (width: place.cell.width, height: place.cell.height))
            // A band of sixels may be six rows taller than the picture.
            let height = max(1, room.rows * cell.height - (place.format == .sixel ? 6 : 0))
            let (page, view) = try await place.pages.picture(
                place.page, showing: records, frame: (width: room.columns * cell.width, height: height),
                maxPixels: PagePictures.maxPixels, view: place.view)
            try Task.checkCancellation()
            guard let pixels = Pixels(width: page.width, height: page.height, bytes: page.pixels) else {
                throw PDFError.damaged
            }
            var form: PictureShelf.Picture.Form?
            if let format = place.format {
                let text = PictureText(pixels, as: format, room: room, cell: cell)
                if text.size <= PagePictures.maxBytes {
                    var cells: PictureCells?
                    if case .placeholders(let id) = format {
                        cells = PictureCells(placeholdersOf: text.cells, id: id, depth: depth)
                    }
                    form = .pixels(text, placeholders: cells)
                }
            }
            try Task.checkCancellation()
            return PictureShelf.Picture(
                records: records, form: form ?? .cells(PictureCells(pixels, room: room, look: look)), view: view)
        }
    }
}

extension PictureShelf.Place {
    /// Another page, of which the same part is shown from its top on, as turning the page does.
    fileprivate func turned(to page: Int, from shown: PictureView) -> Self {
        var view = shown.zoom > 1 ? shown : PictureView()
        if view.zoom > 1 { view.y = 0 }
        return Self(pages: pages, page: page, room: room, view: view, format: format, cell: cell)
    }
}
