import Annotations
import InstantCore
import Testing

@testable import App

/// A layer of 100,000 records is never loaded whole, and remote changes never move the view.
@Suite struct LargeLayerTests {
    /// Services that generate rows on request.
    final class Endless: AppServices {
        var total = 100_000
        /// The number of rows added before the first one.
        var before = 0
        private(set) var largest = 0
        private(set) var requests = 0

        func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
            switch effect {
            case .openLayer:
                post(.opened(OpenedLayer(reference: .hotos, title: "big", status: .live(), hasPDF: true)))
            case .loadRows(let request):
                requests += 1
                let place = request.around.flatMap(Int.init).map { $0 + before }
                let offset = request.offset(middle: place ?? request.index, total: total + before)
                let rows = (offset..<min(total + before, offset + request.limit)).map { row($0 - before) }
                largest = max(largest, rows.count)
                post(
                    .rows(
                        RowWindow(
                            query: request.query, request: request.number, offset: offset, total: total + before,
                            rows: rows, anchor: place, all: total, unread: 0)))
            default: break
            }
        }

        private func row(_ number: Int) -> ListRow {
            let content = Content.note(onPage: number / 100, at: Point(x: 0, y: 0), text: "note \(number)")
            return ListRow(
                annotation: Annotation(id: "\(number)", content: content), createdBy: nil, updatedBy: nil, group: nil)
        }
    }

    private func stage(_ services: Endless) -> StageOver<Endless> { StageOver(services) }

    @Test func movingAnywhereShowsTheRowsThere() throws {
        let services = Endless()
        let stage = stage(services)
        for (keys, id) in [("G", "99999"), ("gg", "0"), ("50000G", "49999"), ("300j", "50299"), ("<pgup>", "50294")] {
            try stage.press(keys)
            #expect(stage.state.document?.list.current?.id == id, "after \(keys)")
        }
        #expect(services.largest <= 400)
    }

    @Test func smallStepsAskForNothing() throws {
        let services = Endless()
        let stage = stage(services)
        try stage.press("jjjjjjjjjjkkkkkkkk<pgdn><pgup>")
        #expect(services.requests == 1)
    }

    @Test func rowsThatComeInAboveMoveNothingOnTheScreen() throws {
        let services = Endless()
        let stage = stage(services)
        try stage.press("5000G10k")
        let before = stage.lines.filter { $0.contains("note ") }
        services.before = 37
        stage.send(.recordsChanged(["x"], author: "ana"))
        #expect(stage.lines.filter { $0.contains("note ") } == before)
        #expect(stage.state.document?.list.cursorID == "4989")
        #expect(stage.state.document?.list.cursor == 4989 + 37)
        #expect(stage.state.document?.recentAuthors.authors == ["ana"])
    }

    @Test func aRowThatIsGoneLeavesTheCursorOnItsNeighbour() throws {
        let services = Endless()
        services.total = 3
        let stage = stage(services)
        var status = SyncStatus.live()
        status.lastSync = .noon
        stage.send(.status(status))
        try stage.press("G")
        services.total = 2
        stage.send(.recordsChanged(["2"], author: "ana"))
        #expect(stage.state.document?.list.cursorID == "1")
        services.total = 0
        stage.now = stage.now + RefreshThrottle.interval
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.screen.contains("No annotations yet"))
    }

    /// The response to an outdated query changes nothing.
    @Test func lateAnswersAreDropped() throws {
        let stage = stage(Endless())
        let other = RowWindow(query: ListQuery(order: .author), request: 1, total: 0, rows: [], all: 0, unread: 0)
        stage.send(.rows(other))
        #expect(stage.state.document?.list.total == 100_000)
    }
}
