import App
import PDFPages
import Screen
import Synchronization
import Terminal

/// Shows pages as images in the terminal. Queries the terminal's support with the first request, renders the page in
/// the background, and sends it once the program has cleared the space.
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
        /// Posts the outcome.
        var post: @Sendable (Message) -> Void
    }

    private enum PictureSupport {
        case unknown
        /// By the loop's clock.
        case asked(since: Int64)
        case known(PictureFormat?)
    }

    private let device: TerminalDevice
    private var support = PictureSupport.unknown
    private var reports: [TerminalReport] = []
    /// The time between the query and its report.
    private var milliseconds: Int64 = 0
    /// Whether the user has repeated the request although the terminal is slow.
    private var isSlowAccepted = false
    private var wanted: Request?
    private var painting: Task<Void, Never>?
    private var area: Area?
    private let slot = PaintingSlot()

    /// The slot for a rendered image.
    private final class PaintingSlot: Sendable {
        let text = Mutex<PictureText?>(nil)
    }

    /// A terminal that takes longer to report gets an image only on a second request.
    private static let timeout: Int64 = 250
    /// The maximum number of pixels in one image, about a megapixel; more is hardly visible and slow to send.
    fileprivate static let maxPixels = 1_000_000
    /// The maximum number of bytes sent for one image.
    fileprivate static let maxBytes = 6_000_000
    /// The cell size if the terminal does not report it.
    private static let usualCell = (width: 8, height: 16)

    init(_ device: TerminalDevice) { self.device = device }

    func paint(_ request: Request) {
        hide()
        wanted = request
        switch support {
        case .unknown:
            support = .asked(since: TerminalLoop<Message>.now)
            device.askForPictures()
        case .asked: break
        case .known(let format): answer(format)
        }
    }

    /// Every terminal reports its attributes last.
    func heard(_ report: TerminalReport) {
        reports.append(report)
        guard case .attributes = report, case .asked(let since) = support else { return }
        milliseconds = TerminalLoop<Message>.now - since
        let format = PictureFormat(reports)
        support = .known(format)
        // A terminal that does not support the query may have printed it.
        if format != .kitty { device.redraw() }
        answer(format)
    }

    func show() {
        guard let area, let text = slot.text.withLock({ $0 }) else { return }
        device.show(text, at: Position(row: area.row, column: area.column))
    }

    func hide() {
        painting?.cancel()
        (painting, wanted, area) = (nil, nil, nil)
        slot.text.withLock { $0 = nil }
        device.hidePicture()
    }

    private func answer(_ format: PictureFormat?) {
        guard let request = wanted else { return }
        wanted = nil
        guard let format else {
            return request.post(
                .pictureFailed("no pictures: the terminal supports neither kitty graphics nor sixel"))
        }
        guard milliseconds <= Self.timeout || isSlowAccepted else {
            isSlowAccepted = true
            return request.post(
                .pictureFailed(
                    "the terminal took \(milliseconds) ms to respond; press i again to send a picture anyway"))
        }
        paint(request, as: format)
    }

    private func paint(_ request: Request, as format: PictureFormat) {
        area = request.area
        let job = Job(request: request, format: format, cell: device.cell ?? Self.usualCell, slot: slot)
        painting = Task { await job.run() }
    }

    /// One rendering, off the loop.
    private struct Job: Sendable {
        let request: Request
        let format: PictureFormat
        let cell: (width: Int, height: Int)
        let slot: PaintingSlot

        func run() async {
            do {
                guard let text = try await paint() else { return }
                try Task.checkCancellation()
                guard text.size <= PagePictures.maxBytes else {
                    return request.post(.pictureFailed("the picture is too large for the terminal"))
                }
                slot.text.withLock { $0 = text }
                request.post(.pictureReady)
            } catch is CancellationError {
                return
            } catch { request.post(.pictureFailed("\(error)")) }
        }

        private func paint() async throws -> PictureText? {
            let room = request.area
            // A band of sixels may be six rows taller than the image.
            let frame = (width: room.columns * cell.width, height: max(1, room.rows * cell.height - 6))
            let page = try await request.pages.picture(
                request.page, showing: try await request.records(), frame: frame, maxPixels: PagePictures.maxPixels)
            return Pixels(width: page.width, height: page.height, bytes: page.pixels).map {
                PictureText($0, as: format, room: room.size, cell: cell)
            }
        }
    }
}
