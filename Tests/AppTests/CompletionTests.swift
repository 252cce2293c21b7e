import Screen
import Testing

@testable import App

/// Tab completes the line after `:`, which has a history.
@Suite struct CompletionTests {
    @Test func tabGoesThroughWhatAWordCouldBecome() throws {
        let stage = Stage(Sample.services())
        try stage.press(":for<tab>")
        #expect(stage.foot == ":forget-token")
        #expect(stage.statusLine == " forget-token  forward")
        try stage.press("<tab>")
        #expect(stage.foot == ":forward")
        try stage.press("<tab><S-tab>")
        #expect(stage.foot == ":forward")
        try stage.press("<C-w>und<tab>")
        #expect(stage.foot == ":undo")
        #expect(stage.statusLine.contains("synced"))
    }

    @Test func termsOfTheFilterAreCompletedToo() throws {
        let stage = Stage(Sample.services())
        try stage.press(":filter ana kind:str<tab><enter>")
        #expect(stage.state.document?.list.filter == "ana kind:strike-out")
        try stage.press(":filter zebra<tab>")
        #expect(stage.foot == ":filter zebra")
    }

    @Test func peopleGroupsAndNegationsAreCompleted() throws {
        let stage = Stage(Sample.services())
        try stage.press(":filter by:a<tab>")
        #expect(stage.foot == ":filter by:ana")
        try stage.press("<C-u>filter !kind:und<tab><enter>")
        #expect(stage.state.document?.list.filter == "!kind:underline")
        #expect(stage.state.document?.list.total == 3)
    }

    @Test(arguments: ["R\u{E9}", "Re\u{301}"])
    func aTermIsCompletedInAnySpelling(typed: String) throws {
        let services = Sample.services()
        services.records.append(
            Sample.note("rene", page: 0, top: 80, text: "", by: "Re\u{301}ne\u{301}", minutes: 1))
        let stage = Stage(services)
        try stage.press(":filter by:\(typed)<tab>")
        #expect(stage.foot == ":filter by:Ren\u{E9}".replacing("Re", with: "R\u{E9}"))
    }

    @Test func pathsAreCompletedAfterOpenAndInThePromptForAFile() throws {
        let services = Sample.services()
        services.paths = ["/tmp/papers/", "/tmp/paper.pdf", "/tmp/paper.txt", "/tmp/papers/one.pdf"]
        let stage = Stage(services)
        try stage.press(":open /tmp/pap<tab>")
        #expect(stage.asked.last == .completePath("/tmp/pap"))
        #expect(stage.foot == ":open /tmp/papers/")
        try stage.press("<tab>")
        #expect(stage.foot == ":open /tmp/paper.pdf")
        try stage.press("<C-u>open /tmp/papers/o<tab>")
        #expect(stage.foot == ":open /tmp/papers/one.pdf")
        try stage.press("<C-u>open /nothing<tab>")
        #expect(stage.state.notice?.text == "No PDF or folder begins with this")
        // An answer that comes after the text has changed is not used.
        try stage.press("x")
        stage.send(.pathsFound("/nothing", ["/nothing/a.pdf"]))
        #expect(stage.foot == ":open /nothingx")
        let other = FakeServices()
        other.paths = services.paths
        let library = Stage(other, begin: .library)
        try library.press("o/tmp/paper<tab>")
        #expect(library.foot == "PDF: /tmp/papers/")
        try library.press("<enter>")
        #expect(library.asked.contains(.openFile("/tmp/papers/")))
    }

    @Test func everyCommandThatIsValidHereCanBeTyped() throws {
        let stage = Stage(Sample.services())
        try stage.press(":down 2<enter>")
        #expect(stage.state.document?.list.cursorID == "u1")
        try stage.press(":word-forward<enter>")
        #expect(stage.foot == " word-forward is not available here, only in: Page")
        try stage.press("<tab>:word-forward<enter>")
        #expect(stage.underCursor == "adapt.")
    }

    @Test func olderLinesComeBackAndAreKept() throws {
        let services = Sample.services()
        services.history = ["page 3", "filter ana", "page 2"]
        let stage = Stage(services)
        try stage.press(":<up>")
        #expect(stage.foot == ":page 2")
        try stage.press("<up><up><up>")
        #expect(stage.foot == ":page 3")
        try stage.press("<down><down><down>")
        #expect(stage.foot == ":")
        try stage.press("fi<C-p>")
        #expect(stage.foot == ":filter ana")
        try stage.press("<C-n>")
        #expect(stage.foot == ":fi")
        try stage.press("<C-u>page 2<enter>:<up>")
        #expect(stage.foot == ":page 2")
        #expect(services.history.last == "page 2")
        try stage.press("<up>")
        #expect(stage.foot == ":filter ana")
    }

    @Test func anEmptyLineIsNotKept() throws {
        let stage = Stage(Sample.services())
        try stage.press(":<enter>")
        #expect(stage.services.history.isEmpty)
    }
}
