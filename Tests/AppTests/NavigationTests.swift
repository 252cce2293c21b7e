import Annotations
import InstantCore
import PDFPages
import Screen
import Testing

@testable import App

/// The outline, printed annotations and links.
@Suite struct NavigationTests {
    private func services() -> FakeServices {
        let services = Sample.services()
        services.navigation = PDFNavigation(
            outline: [
                .init(title: "Opening", depth: 0, pageIndex: 0), .init(title: "A problem", depth: 1, pageIndex: 1),
                .init(title: "Elsewhere", depth: 0, pageIndex: nil), .init(title: "The end", depth: 0, pageIndex: 2),
            ], labels: ["ii", "iii", "1"])
        return services
    }

    @Test func theOutlineLeadsToItsPages() throws {
        let stage = Stage(services())
        try stage.press("<tab>J")
        try stage.press("t")
        #expect(stage.boxTitle.hasPrefix("Outline 4/4"))
        #expect(stage.box[1].hasPrefix("  Opening ") && stage.box[1].hasSuffix(" pii"))
        #expect(stage.box[2].hasPrefix("▌   A problem "))
        let before = stage.box.dropFirst().map { $0.dropFirst() }
        try stage.press("end<C-u>")
        #expect(stage.box.dropFirst().map { $0.dropFirst() } == before)
        try stage.press("end<enter>")
        #expect(stage.state.document?.page.index == 2)
        try stage.press("<C-o>")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("telse<enter>")
        #expect(stage.foot == " Has no page in this PDF")
    }

    @Test func withoutOneThatIsSaid() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>t")
        #expect(stage.foot == " This PDF has no outline")
    }

    @Test func pagesHaveTheNamesThatArePrintedOnThem() throws {
        let stage = Stage(services())
        #expect(stage.lines[0].hasSuffix("page ii (1 of 3)"))
        try stage.press(":page iii<enter>")
        #expect(stage.state.document?.page.index == 1)
        try stage.press(":page 1<enter>")
        #expect(stage.state.document?.page.index == 2)
        #expect(stage.lines[0].hasSuffix("page 1 (3 of 3)"))
        try stage.press(":page 2<enter>")
        #expect(stage.state.document?.page.index == 1)
    }

    /// The page stays if the row's mark stands on it, too.
    @Test func theListDoesNotLeaveAPageThatHasTheMark() throws {
        let services = Sample.services()
        func highlight(_ id: String, page: Int) -> Record {
            Sample.markup(id, "highlight", page: page, line: 0, from: 0, count: 4, text: id, by: "ana", minutes: 1)
        }
        var shared = highlight("k1", page: 0)
        shared.content = shared.content.standing(on: [OtherPlace(pageIndex: 1)])
        services.records = [shared, highlight("k2", page: 1), highlight("k3", page: 2)]
        let stage = Stage(services)
        try stage.press("j")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("k")
        #expect(stage.state.document?.list.cursorID == "k1")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("jjkk")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("G")
        #expect(stage.state.document?.page.index == 2)
        try stage.press("gg")
        #expect(stage.state.document?.page.index == 0)
    }

    // MARK: Links

    private func linked(_ action: JSON) -> Stage {
        let services = Sample.services()
        services.pages[0] = Sample.page(["See the second page", "or https://example.com/a, and (www.example.org)."])
        let content = Sample.markup(
            "k1", "highlight", page: 0, line: 0, from: 8, count: 11, text: "", by: "ana", minutes: 1
        ).content.changing {
            $0["type"] = "pspdfkit/link"
            $0["action"] = action
        }
        services.records = [Record(id: "k1", content: content)]
        return Stage(services)
    }

    @Test func lettersStandAtTheLinksOfTheScreen() throws {
        let stage = linked(["type": "goTo", "pageIndex": 1])
        try stage.press("<tab>f")
        #expect(stage.lines[1].contains("See the [a]ond page"))
        #expect(stage.lines[2].contains("or [s]ps://example.com/a, and ([d].example.org)."))
        #expect(stage.foot == " Type a link's letters to follow it; Esc cancels")
        try stage.press("a")
        #expect(stage.state.document?.page.index == 1)
        #expect(stage.state.document?.page.hints.isEmpty == true)
        try stage.press("<C-o>")
        #expect(stage.state.document?.page.index == 0)
    }

    @Test func addressesAreHandedToTheTerminal() throws {
        let stage = linked(["type": "goTo", "pageIndex": 1])
        try stage.press("<tab>fs")
        #expect(stage.asked.last == .copy("https://example.com/a", isAddress: true))
        #expect(stage.foot == " Copied https://example.com/a (if your terminal allows OSC 52)")
        try stage.press("fd")
        #expect(stage.asked.last == .copy("https://www.example.org", isAddress: true))
    }

    @Test(
        arguments: [
            (
                ["type": "uri", "uri": "https://example.com"],
                " Copied https://example.com (if your terminal allows OSC 52)"
            ),
            (["type": "goTo", "pageIndex": 99], " This link leads to a page that does not exist"),
            (
                ["type": "uri", "uri": "JavaScript:alert(1)"],
                " This link leads to JavaScript:alert(1), which postilla does not open"
            ),
            (
                ["type": "uri", "uri": "file:///etc/passwd"],
                " This link leads to file:///etc/passwd, which postilla does not open"
            ),
            (
                ["type": "javaScript", "script": "x"],
                " This link leads to another document, which postilla does not open"
            ),
            (["type": "launch", "filePath": "/bin/sh"], " This link leads to /bin/sh, which postilla does not open"),
            (
                ["type": "goToRemote", "relativePath": "b.pdf"],
                " This link leads to b.pdf, which postilla does not open"
            ),
            (.null, " This link has no target"),
        ] as [(JSON, String)])
    func whatALinkLeadsTo(action: JSON, notice: String) throws {
        let stage = linked(action)
        try stage.press("<tab>fa")
        #expect(stage.foot == notice || notice.hasSuffix("no target") && stage.foot.contains("does not open"))
        #expect(stage.state.document?.page.index == 0)
    }

    @Test(arguments: [("nextPage", 1), ("lastPage", 2), ("prevPage", 0), ("firstPage", 0)])
    func linksToPagesByWhatTheyAre(name: String, page: Int) throws {
        let stage = linked(["type": "named", "action": .string(name)])
        try stage.press("<tab>fa")
        #expect(stage.state.document?.page.index == page)
    }

    @Test func anyOtherKeyPutsTheLettersAway() throws {
        let stage = linked(.null)
        try stage.press("<tab>f<esc>")
        #expect(stage.state.document?.page.hints.isEmpty == true)
        try stage.press("fx")
        #expect(stage.foot == " No link x")
        #expect(stage.state.document?.page.hints.isEmpty == true)
        try stage.press("Jf")
        #expect(stage.foot == " No links on this screen")
    }

    @Test func manyLinksHaveTwoLettersEach() {
        let labels = LinkHint.labels(30)
        #expect(labels.count == 30 && Set(labels).count == 30 && labels.allSatisfy { $0.count == 2 })
        #expect(LinkHint.labels(3) == ["a", "s", "d"])
        #expect(LinkHint.labels(5000).count == 676)
    }
}
