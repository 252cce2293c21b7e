import App
import PDFPages
import Screen
import Synchronization
import Terminal

/// Shows pages as pictures. With the first request it asks the terminal what it can show, and meanwhile shows the page
/// as cells, which every terminal can; a terminal that soon reports pixels gets these. Pages are rendered in the
/// background and sent once the program has cleared the space.
///
/// Used on the loop's thread only, except for rendering.
final class PagePictures {
    struct Request: Sendable {
        var pages: PageReader
        /// Returns the annotations to draw; nil for those of the file.
        var records: @Sendable () async throws -> [DrawnRecord]?
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
        current = request
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
        (painting, current) = (nil, nil)
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
        let job = Job(
            request: request, format: format, cell: device.cell ?? Self.usualCell, depth: device.colorDepth,
            look: PictureCells.Look(device.colorDepth, isUTF8: device.isUTF8), slot: slot)
        painting = Task { await job.run() }
    }

    /// One rendering, off the loop.
    private struct Job: Sendable {
        let request: Request
        let format: PictureFormat?
        let cell: (width: Int, height: Int)
        let depth: ColorDepth
        let look: PictureCells.Look
        let slot: PaintingSlot

        func run() async {
            do {
                try await paint()
            } catch is CancellationError {
                return
            } catch { request.post(.pictureFailed("\(error)")) }
        }

        private func paint() async throws {
            let room = request.area.size
            // Cells are taken to be twice as high as wide. A band of sixels may be six rows taller than the picture.
            let cell = format == nil ? PagePictures.usualCell : cell
            let frame = (
                width: room.columns * cell.width, height: max(1, room.rows * cell.height - (format == .sixel ? 6 : 0))
            )
            let (page, view) = try await request.pages.picture(
                request.page, showing: try await request.records(), frame: frame, maxPixels: PagePictures.maxPixels,
                view: request.view)
            try Task.checkCancellation()
            guard let pixels = Pixels(width: page.width, height: page.height, bytes: page.pixels) else { return }
            guard let format else {
                let cells = PictureCells(pixels, room: room, look: look)
                try Task.checkCancellation()
                return request.post(.pictureCells(cells, view))
            }
            let text = PictureText(pixels, as: format, room: room, cell: cell)
            try Task.checkCancellation()
            guard text.size <= PagePictures.maxBytes else {
                return request.post(.pictureCells(PictureCells(pixels, room: room, look: look), view))
            }
            slot.text.withLock { $0 = text }
            request.post(.pictureReady(view))
            if case .placeholders(let id) = format {
                request.post(.pictureCells(PictureCells(placeholdersOf: text.cells, id: id, depth: depth), view))
            }
        }
    }
}
