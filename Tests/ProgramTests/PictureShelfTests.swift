import Annotations
import App
import PDFPages
import Screen
import Synchronization
import Testing

@testable import postilla

/// Which pictures of pages are rendered, and how often.
@Suite struct PictureShelfTests {
    private let shelf = PictureShelf()
    private let pages = PageReader(file: "paper.pdf")

    /// Notes what it is asked for.
    private final class Renderer: Sendable {
        private struct State {
            var rendered: [Int] = []
            var cancelled: [Int] = []
            var records: [DrawnRecord] = []
            /// Finishes when rendering may.
            var gates: [AsyncStream<Never>.Continuation] = []
            var isOpen: Bool
        }

        private let state: Mutex<State>
        /// Has an element for each beginning.
        let begun: AsyncStream<Int>
        private let begin: AsyncStream<Int>.Continuation

        init(isOpen: Bool = true) {
            state = Mutex(State(isOpen: isOpen))
            (begun, begin) = AsyncStream.makeStream()
        }

        var rendered: [Int] { state.withLock { $0.rendered } }
        var cancelled: [Int] { state.withLock { $0.cancelled } }
        func set(_ records: [DrawnRecord]) { state.withLock { $0.records = records } }

        func open() {
            let gates = state.withLock { state in
                state.isOpen = true
                defer { state.gates = [] }
                return state.gates
            }
            for gate in gates { gate.finish() }
        }

        func render(_ place: PictureShelf.Place) async throws -> PictureShelf.Picture {
            let (stream, gate) = AsyncStream<Never>.makeStream()
            let records = state.withLock { state in
                state.rendered.append(place.page)
                if state.isOpen { gate.finish() } else { state.gates.append(gate) }
                return state.records
            }
            begin.yield(place.page)
            for await _ in stream {}
            guard !Task.isCancelled else {
                state.withLock { $0.cancelled.append(place.page) }
                throw CancellationError()
            }
            let pixels = try #require(Pixels(width: 1, height: 1, bytes: [0, 0, 0]))
            return PictureShelf.Picture(
                records: records, form: .cells(PictureCells(pixels, room: place.room, look: .dots)), view: place.view)
        }
    }

    private func place(_ page: Int, zoom: Double = 1, of pages: PageReader? = nil) -> PictureShelf.Place {
        var view = PictureView()
        view.zoom = zoom
        return PictureShelf.Place(
            pages: pages ?? self.pages, page: page, room: Size(rows: 20, columns: 40), view: view, format: nil,
            cell: PictureShelf.PixelSize(width: 8, height: 16))
    }

    private func show(_ place: PictureShelf.Place, _ renderer: Renderer, _ records: [DrawnRecord] = []) async throws {
        let picture = try await shelf.picture(at: place, showing: records) { try await renderer.render(place) }
        #expect(picture.records == records)
    }

    private func prepare(_ place: PictureShelf.Place, _ renderer: Renderer) {
        shelf.prepare(place) { try await renderer.render(place) }
    }

    private let note = DrawnRecord(Record(id: "1", content: Content(JSONObject())))

    @Test func aPreparedPageIsNotRenderedAgain() async throws {
        let renderer = Renderer()
        try await show(place(0), renderer)
        prepare(place(1), renderer)
        try await show(place(1), renderer)
        try await show(place(0), renderer)
        #expect(renderer.rendered == [0, 1])
    }

    /// A page that is wanted while it is being prepared is waited for.
    @Test func aPageInPreparationIsNotBegunAnew() async throws {
        let renderer = Renderer(isOpen: false)
        prepare(place(1), renderer)
        shelf.stop { $0 != place(1) }
        async let shown: Void = show(place(1), renderer)
        for await _ in renderer.begun.prefix(1) {}
        renderer.open()
        try await shown
        #expect(renderer.rendered == [1])
    }

    @Test func otherAnnotationsAreDrawn() async throws {
        let renderer = Renderer()
        try await show(place(0), renderer)
        renderer.set([note])
        try await show(place(0), renderer, [note])
        try await show(place(0), renderer, [note])
        #expect(renderer.rendered == [0, 0])
    }

    @Test func anotherPartOrAnotherFileIsAnotherPicture() async throws {
        let renderer = Renderer()
        try await show(place(0), renderer)
        try await show(place(0, zoom: 2), renderer)
        try await show(place(0, of: PageReader(file: "paper.pdf")), renderer)
        #expect(renderer.rendered == [0, 0, 0])
    }

    /// The processor is free for the page that is wanted.
    @Test func whatIsNotWantedAnyMoreIsStopped() async throws {
        let renderer = Renderer(isOpen: false)
        prepare(place(1), renderer)
        for await _ in renderer.begun.prefix(1) {}
        shelf.stop { $0 != place(7) }
        renderer.open()
        try await show(place(7), renderer)
        try await show(place(1), renderer)
        #expect(renderer.rendered == [1, 7, 1])
        #expect(renderer.cancelled == [1])
    }

    @Test func aFailureIsTriedAgain() async throws {
        let renderer = Renderer()
        await #expect(throws: PDFError.self) {
            try await shelf.picture(at: place(0), showing: []) { throw PDFError.damaged }
        }
        try await show(place(0), renderer)
        #expect(renderer.rendered == [0])
    }

    @Test func threePicturesAreKept() async throws {
        let renderer = Renderer()
        for page in 0...3 { try await show(place(page), renderer) }
        for page in [3, 2, 1, 0] { try await show(place(page), renderer) }
        #expect(renderer.rendered == [0, 1, 2, 3, 0])
    }
}
