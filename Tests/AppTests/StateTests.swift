import Annotations
import Authorization
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// Setting states, and how resolved annotations look.
@Suite struct StateTests {
    private func services(_ states: [(root: String, state: AnnotationState)] = []) throws -> FakeServices {
        let services = Sample.services()
        for (number, item) in states.enumerated() {
            let root = try #require(services.records.first { $0.id == item.root })
            let content = Content.state(item.state, under: root.id, root.content).changing {
                $0["creatorName"] = "ben"
                $0["createdAt"] = .string((Timestamp.noon + -60_000).iso8601)
            }
            services.records.append(Record(id: "s\(number)", content: content, createdBy: "ben"))
        }
        return services
    }

    private func performed(_ stage: Stage) -> [Content] {
        stage.asked.flatMap { effect -> [Content] in
            guard case .perform(let step) = effect else { return [] }
            return step.edits.compactMap { if case .create(let content) = $0 { content } else { nil } }
        }
    }

    @Test func aKeyResolvesAndReopens() throws {
        let stage = Stage(try services())
        let total = try #require(stage.state.document?.list.total)
        try stage.press("R")
        let set = try #require(performed(stage).first)
        #expect((set.state, set["rootId"], set["text"]) == (.completed, "h1", "Completed"))
        #expect(stage.foot == " Set highlight “Which ones?” by ana to completed (hidden); u to take it back")
        #expect(stage.state.document?.list.total == total - 1)
        #expect(stage.screen.contains("1 resolved hidden"))
        // Shown on request, dim, and opened again.
        try stage.press(".")
        #expect(stage.state.document?.list.total == total)
        #expect(!stage.screen.contains("resolved hidden"))
        #expect(stage.lines.contains { $0.contains("(completed)") })
        try stage.press("ggR")
        #expect(performed(stage).last?.state == .unset)
        #expect(stage.foot == " Removed the state of highlight “Which ones?” by ana; u to take it back")
        #expect(!stage.lines.contains { $0.contains("(completed)") })
        try stage.press("u")
        #expect(stage.lines.contains { $0.contains("(completed)") })
    }

    /// The list without the resolved annotation, with it, and the page, where its words are dim.
    @Test(arguments: [("hidden", ""), ("shown", "."), ("page", "<tab>")])
    func resolvedOnesOnTheScreen(_ name: String, _ keys: String) throws {
        let stage = Stage(try services([("h1", .accepted)]), theme: .dark, depth: .direct)
        try stage.press(keys)
        try expectSnapshot(stage.screen + "\n\n" + stage.canvas.styleDump, "resolved-\(name)-80x24")
    }

    @Test(arguments: [ColorDepth.direct, .mono]) func theWordsOfAResolvedMarkAreDim(_ depth: ColorDepth) throws {
        /// The styles of a word of the marked text.
        func styles(_ states: [(root: String, state: AnnotationState)]) throws -> [Style] {
            let stage = Stage(try services(states), theme: depth == .mono ? .plain : .dark, depth: depth)
            let row = try #require(stage.lines.firstIndex { $0.contains("some of the challenges") })
            let line = stage.lines[row]
            let start = try #require(line.firstRange(of: "some of the challenges"))
            let column = line.distance(from: line.startIndex, to: start.lowerBound)
            return (column..<(column + 4)).map { stage.canvas[row, $0].style }
        }
        #expect(try styles([]).allSatisfy { !$0.attributes.contains(.dim) })
        let dimmed = try styles([("h1", .accepted)])
        #expect(dimmed.allSatisfy { $0.attributes.contains(.dim) && $0.background == .normal })
    }

    @Test func aCommandSetsAnyState() throws {
        let stage = Stage(try services())
        try stage.press(":state rejected<enter>")
        #expect(performed(stage).map(\.state) == [.rejected])
        try stage.press(":state perhaps<enter>")
        #expect(performed(stage).count == 1)
        #expect(stage.foot.contains("Usage: state NAME (accepted, rejected,"))
    }

    @Test func resolvedOnesAreDimAndFound() throws {
        let stage = Stage(try services([("h1", .accepted)]))
        #expect(stage.screen.contains("1 resolved hidden"))
        try stage.press("/is:resolved<enter>")
        #expect(stage.state.document?.list.total == 1)
        let row = try #require(stage.state.document?.list.current)
        #expect((row.id, row.review, row.remarks) == ("h1", .accepted, 0))
        try stage.press("<esc>/state:accepted<enter>")
        #expect(stage.state.document?.list.total == 1)
        try stage.press("<esc>/state:rejected<enter>")
        #expect(stage.state.document?.list.total == 0)
    }

    @Test func theListShowsAResolvedMarkThatIsSoughtFromThePage() throws {
        let stage = Stage(try services([("h1", .accepted)]))
        #expect(stage.state.document?.list.cursorID == "h2")
        try stage.press("<tab>gm<enter>")
        #expect(stage.state.document?.list.cursorID == "h1")
        #expect(!stage.foot.contains("Hidden by the filter"))
    }

    @Test func aFilterOfOnesOwnIsNotChangedForAResolvedMark() throws {
        let stage = Stage(try services([("h1", .accepted)]))
        try stage.press("/by:ana<enter><tab>gm<enter>")
        #expect(stage.foot == " Not listed, because it is resolved; . to list what is hidden")
        #expect(stage.state.document?.list.filter == "by:ana")
        try stage.press("<esc>/is:open<enter><tab><enter>")
        #expect(stage.foot == " Hidden by the filter")
    }

    @Test func theThreadSaysWhoSetAState() throws {
        let stage = Stage(try services([("h1", .accepted), ("h1", .unset)]), rows: 60, columns: 80)
        #expect(stage.screen.contains("\n ben, 1m: accepted it\n ben, 1m: removed the state\n"))
        // States are no replies.
        #expect(!stage.lines.contains { $0.contains(" +2 ") })
    }

    @Test func whoMayNotReplySetsNoState() throws {
        let services = try services()
        var grant = Grant.hotos()
        grant.collaboration = [Permission(.annotations, .view, .all), Permission(.comments, .view, .all)]
        services.opened.status = .live(grant)
        let stage = Stage(services)
        try stage.press("R")
        #expect(performed(stage).isEmpty)
        #expect(stage.foot.contains("Needs comments:reply"))
    }

    @Test func theFilterReadsStates() {
        #expect(FilterSyntax.parse("").resolved == false)
        #expect(FilterSyntax.parse("is:resolved").resolved == true)
        #expect(FilterSyntax.parse("is:open words").resolved == false)
        #expect(FilterSyntax.parse("show:all").resolved == nil)
        let states = FilterSyntax.parse("state:accepted state:None")
        #expect((states.states, states.resolved) == ([.accepted, .unset], nil))
        #expect(FilterSyntax.parse("state:fine").text == "state:fine")
        #expect(FilterSyntax.toggled("is:open", in: "is:resolved by:ana") == "by:ana is:open")
    }
}
