import Testing

@testable import App

/// Keys typed before their target is ready.
@Suite struct TypingAheadTests {
    @Test func motionsWaitForTheTextOfTheirPage() throws {
        let services = Sample.services()
        services.holdsPages = true
        let stage = Stage(services)
        try stage.press("<tab>wwj")
        #expect(stage.state.document?.page.index == 0)
        stage.send(.page(0, services.pages[0]))
        try stage.press("w")
        #expect(stage.underCursor == "calls")
    }

    @Test func aPageThatHasNoTextIsLeftAtItsEnd() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>JJ")
        #expect(stage.state.document?.page.index == 2)
        try stage.press("k")
        #expect(stage.state.document?.page.index == 1)
    }
}
