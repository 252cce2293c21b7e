import Annotations
import InstantCore
import Testing

@testable import App

/// The filter of the list, chosen from options or typed.
@Suite struct FilterTests {
    private func stage() -> Stage {
        let services = Sample.services()
        services.records[1].group = "second readers"
        return Stage(services)
    }

    @Test func whatThereIsCanBeChosenWithHowManyItLeaves() throws {
        let stage = stage()
        try stage.press("f")
        #expect(stage.boxTitle.hasPrefix("Filter the list by "))
        #expect(stage.box.contains { $0.hasPrefix("  kind:highlight") && $0.contains(" 2") })
        #expect(stage.box.contains { $0.hasPrefix("  by:ana") })
        #expect(stage.box.contains { $0.hasPrefix(#"  group:"second readers""#) })
        try stage.press("secre<enter>")
        #expect(stage.lines[15].contains(#"Annotations 1 of 4 · 1 new · filter: group:"second readers""#))
        #expect(stage.state.document?.list.current?.id == "h2")
        try stage.press("f")
        #expect(stage.box.contains { $0.hasPrefix(#"  group:"second readers""#) && $0.hasSuffix(" on") })
        try stage.press("secre<enter>")
        #expect(!stage.lines[15].contains("filter"))
    }

    /// A filter without matches clears the record; the next match is shown in full.
    @Test func whatIsFoundAgainIsShownWholeAgain() throws {
        let stage = stage()
        let first = try #require(stage.state.document?.detail?.id)
        try stage.press(":filter by:nobody<enter>")
        #expect(stage.state.document?.list.cursorID == nil)
        #expect(stage.state.document?.detail == nil)
        try stage.press(":filter none<enter><esc>")
        #expect(stage.state.document?.list.cursorID == first)
        #expect(stage.state.document?.detail?.id == first)
    }

    @Test func escReturnsToTheRowBeforeTheFilter() throws {
        let stage = stage()
        try stage.press("jj")
        let row = try #require(stage.state.document?.list.cursorID)
        try stage.press("/nothing has these words<enter>")
        #expect(stage.state.document?.list.total == 0)
        try stage.press("<esc>")
        #expect(stage.state.document?.list.cursorID == row)
    }

    @Test(arguments: [
        ("kind:hihglight", "Unknown kind: hihglight"), ("!kind:zzz", "Unknown kind: zzz"),
        ("page:x", "Not a page number: x"),
        ("is:foo", "Unknown: is:foo"), ("state:done", "Unknown state: done"), ("show:none", "Unknown: show:none"),
        ("a word kind:", "Unknown kind: "),
    ])
    func whatAFilterDoesNotKnowIsSaid(filter: String, words: String) throws {
        #expect(FilterSyntax.problem(with: filter)?.hasPrefix(words) == true)
        let stage = stage()
        try stage.press(":filter \(filter)<enter>")
        #expect(stage.state.notice?.text.hasPrefix(words) == true)
    }

    /// The parser accepts exactly the terms that are not reported as problems.
    @Test(arguments: [
        "kind:highlight", "kind:H", "!kind:note", "by:ana", "group:", #"group:"second readers""#, "page:3", "!page:3",
        "is:unread", "is:new", "is:unsent", "is:resolved", "is:open", "is:mention", "state:accepted", "state:Completed",
        "show:all", "~hlt", "!word", "a word", "http://x", "note: two",
    ])
    func whatAFilterKnowsIsNoProblem(filter: String) { #expect(FilterSyntax.problem(with: filter) == nil) }

    /// The text under marks is read when a text search needs it, and the list reloads when more text arrives.
    @Test func wordsThatAreMarkedAreAskedForWhenWordsAreSought() throws {
        let stage = stage()
        #expect(stage.state.document?.quotesAsked == false)
        try stage.press(":filter kind:highlight<enter>")
        #expect(!stage.asked.contains(.quoteDocument))
        try stage.press(":filter tide<enter>")
        #expect(stage.asked.count { $0 == .quoteDocument } == 1)
        #expect(stage.state.document?.list.query.filter.inQuotes == true)
        func looks() -> Int {
            stage.asked.count { if case .loadRows = $0 { true } else { false } }
        }
        let before = looks()
        stage.send(.quoted(isAll: false))
        #expect(looks() == before + 1)
        stage.send(.quoted(isAll: true))
        #expect(looks() == before + 1)
        try stage.press(":filter tides<enter>")
        #expect(stage.asked.count { $0 == .quoteDocument } == 1)
        try stage.press("<esc>")
        let after = looks()
        stage.send(.quoted(isAll: false))
        #expect(looks() == after)
        // There may be new marks by now.
        try stage.press(":filter ~td<enter>")
        #expect(stage.asked.count { $0 == .quoteDocument } == 2)
        // Another PDF has different text under the marks.
        stage.send(stage.services.pdfReady)
        #expect(stage.asked.count { $0 == .quoteDocument } == 3)
    }

    /// The first filter by words would wait for the pages otherwise.
    @Test func wordsThatAreMarkedAreReadOnceTheScreenIsComplete() throws {
        let services = Sample.services()
        services.opened.status.lastSync = .noon
        let stage = Stage(services)
        func count() -> Int { stage.asked.count { $0 == .prepareQuotes } }
        #expect(count() == 1)
        // Every page that is prefetched comes first.
        let last = stage.asked.lastIndex { if case .loadPage = $0 { true } else { false } }
        #expect(stage.asked.firstIndex(of: .prepareQuotes)! > last!)
        try stage.press("jjkJK/tide<enter><esc>")
        #expect(count() == 1)
        stage.send(stage.services.pdfReady)
        #expect(count() == 2)
    }

    /// The list of a PDF on disk is empty until its annotations are read.
    @Test func markedWordsAreReadOnlyOnceThereAreMarks() throws {
        let services = Sample.services()
        services.opened.status.lastSync = .noon
        let records = services.records
        services.records = []
        let stage = Stage(services)
        #expect(!stage.asked.contains(.prepareQuotes))
        services.records = records
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.asked.count { $0 == .prepareQuotes } == 1)
    }

    /// The words of a half-loaded layer would have to be read again.
    @Test func markedWordsAreNotReadDuringTheFirstSync() {
        let stage = Stage(Sample.services())
        #expect(stage.state.document?.list.isFilling == true)
        #expect(!stage.asked.contains(.prepareQuotes))
    }

    @Test func severalAreChosenWithTab() throws {
        let stage = stage()
        try stage.press("fkindhigh<tab><C-u>byana<tab><esc>")
        #expect(stage.state.document?.list.filter == "kind:highlight by:ana")
        #expect(stage.state.document?.list.total == 1)
    }

    @Test func ofAuthorsThereIsOneAtATime() throws {
        let stage = stage()
        try stage.press("fby:ben<enter>fby:ana<enter>")
        #expect(stage.state.document?.list.filter == "by:ana")
    }

    @Test func nGoesThroughWhatIsLeft() throws {
        let stage = stage()
        try stage.press("/kind:h<enter>n")
        #expect(stage.state.document?.list.cursorID == "h2")
        try stage.press("N")
        #expect(stage.state.document?.list.cursorID == "h1")
    }

    private static let readings: [(String, @Sendable (inout ListFilter) -> Void)] = [
        ("two words", { $0.text = "two words" }), ("by:ana x", { ($0.author, $0.text) = ("ana", "x") }),
        (#"by:"Ana Maria""#, { $0.author = "Ana Maria" }), ("group:", { $0.group = "" }),
        ("group:x kind:strike-out", { ($0.group, $0.kinds) = ("x", [.strikeOut]) }),
        ("~trns page:3", { ($0.fuzzy, $0.pageIndex) = (["trns"], 2) }), ("~", { _ in }),
        ("page:0", { $0.text = "page:0" }), (#""is:unread""#, { $0.text = "is:unread" }),
        ("kind:form-field", { $0.kinds = [.formField] }), ("kind:3d-model kind:k", { $0.kinds = [.model3D, .link] }),
        ("kind:printers-mark show:all", { ($0.kinds, $0.resolved, $0.headsOnly) = ([.printersMark], nil, false) }),
        ("show:all", { ($0.resolved, $0.headsOnly) = (nil, false) }),
        ("!kind:link !by:ana", { ($0.excluded.kinds, $0.excluded.authors) = ([.link], ["ana"]) }),
        (
            #"!group: !page:3 !"two words""#,
            {
                ($0.excluded.groups, $0.excluded.pages, $0.excluded.words) = ([""], [2], ["two words"])
            }
        ), ("!", { $0.text = "!" }),
        (
            "is:mention",
            { ($0.mentions, $0.resolved, $0.headsOnly, $0.hidesFurniture) = ("mia", nil, false, false) }
        ),
        ("is:new is:unsent", { ($0.unreadOnly, $0.pendingOnly) = (true, true) }),
    ]

    @Test(arguments: readings)
    func reading(text: String, change: @Sendable (inout ListFilter) -> Void) {
        var wanted = ListFilter()
        // Resolved annotations and the parts of groups are hidden.
        (wanted.resolved, wanted.headsOnly) = (false, true)
        change(&wanted)
        wanted.hidesFurniture =
            wanted.kinds.isDisjoint(with: AnnotationKind.furniture) && !text.contains("show:all")
            && wanted.mentions == nil
        wanted.inQuotes = !wanted.text.isEmpty || !wanted.fuzzy.isEmpty || !wanted.excluded.words.isEmpty
        wanted.inComments = !wanted.text.isEmpty || !wanted.excluded.words.isEmpty
        #expect(FilterSyntax.parse(text, user: "mia") == wanted)
    }

    /// Links and form fields are hidden and counted until they are asked for.
    @Test func furnitureIsHiddenUntilAskedFor() throws {
        let services = Sample.services()
        for (id, type, more) in [
            ("w1", "pspdfkit/widget", "tax.name"), ("w2", "pspdfkit/widget", "tax.year"), ("k1", "pspdfkit/link", ""),
        ] {
            services.records.append(
                Record(
                    id: id,
                    content: try Content(
                        #"{"v":1,"type":"\#(type)","pageIndex":1,"bbox":[1,1,9,9],"formFieldName":"\#(more)"}"#)))
        }
        let stage = Stage(services)
        #expect(stage.screen.contains("Annotations 4 · 2 form fields, 1 link hidden"))
        try stage.press(".")
        #expect(stage.screen.contains("Annotations 7 of 7"))
        try stage.press("/<C-u>kind:w<enter>")
        #expect(stage.screen.contains("Annotations 2 of 7"))
        #expect(stage.lines.contains { $0.contains("form field tax.name") })
        try stage.press("<esc>")
        #expect(stage.screen.contains("Annotations 4 · 2 form fields, 1 link hidden"))
        stage.services.records.removeAll { !["w1", "w2", "k1"].contains($0.id) }
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.lines.contains { $0.contains("2 form fields, 1 link hidden. Press . to show them.") })
    }

    @Test func anAttachedFileIsSaved() throws {
        let services = Sample.services()
        services.records.append(
            Record(
                id: "f1",
                content: try Content(
                    #"{"v":1,"type":"postilla/file","pageIndex":0,"bbox":[1,1,9,9],"fileName":"a.csv","fileSize":2000}"#
                ))
        )
        let stage = Stage(services)
        try stage.press("/kind:f<enter>")
        #expect(stage.lines.contains { $0.contains("file a.csv (2 kB)") })
        try stage.press("w")
        #expect(stage.asked.contains(.saveFile("f1")))
        try stage.press("<esc>Gw")
        #expect(stage.asked.count { $0 == .saveFile("f1") } == 1)
        #expect(stage.lines.contains { $0.contains("Only attached files can be saved") })
    }

    @Test func sortingByGroupToo() throws {
        let stage = stage()
        try stage.press("ooo")
        #expect(stage.lines[15].contains("by group"))
        #expect(stage.state.document?.list.cursorID == "h1")
        try stage.press("G")
        #expect(stage.state.document?.list.cursorID == "h2")
    }

    /// Names that begin with what joins the character before it.
    @Test func termsAreReadByScalars() {
        for name in ["\u{308}ana", "\u{FE0F}", "\u{D4E} x", "\u{1F3FD}"] {
            let filter = FilterSyntax.parse("by:\(FilterSyntax.quoted(name)) group:\(FilterSyntax.quoted(name))")
            #expect(filter.author.isExactly(name) && filter.group == .some(name), "\(name)")
        }
        #expect(FilterSyntax.terms(of: "a \u{308}b") == ["a", "\u{308}b"])
    }
}
