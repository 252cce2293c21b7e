import App
import Testing

@Suite struct ShownPagesTests {
    private var pages = ShownPages()

    private mutating func expect(
        _ mustReload: Bool, _ disk: String, _ engine: String, since: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let answer = pages.mustReload(disk: disk, engine: .init(version: engine, pagesSince: since))
        #expect(answer == mustReload, sourceLocation: location)
    }

    @Test mutating func whatTheEngineWritesHasTheSamePages() {
        pages.show("a")
        expect(false, "a", "a", since: "a")
        expect(false, "b", "b", since: "a")
        // One version was never heard of.
        expect(false, "d", "d", since: "a")
    }

    @Test mutating func otherPagesAreReadOnce() {
        pages.show("a")
        expect(false, "a", "a", since: "a")
        expect(true, "b", "b", since: "b")
        expect(false, "b", "b", since: "b")
        pages.show("b")
        expect(false, "b", "b", since: "b")
    }

    /// Another program wrote other pages, which the viewer has read, and then the first ones again, before the engine had
    /// read the others: for the engine, nothing has changed.
    @Test mutating func aVersionThatOnlyTheViewerHasReadIsLeftAgain() {
        pages.show("a")
        pages.show("b")
        expect(false, "b", "a", since: "a")
        expect(false, "c", "a", since: "a")
        expect(true, "c", "c", since: "a")
        expect(false, "c", "c", since: "a")
    }

    /// The file changed while no engine was there; the next one opens it anew.
    @Test mutating func pagesThatAnotherEngineHasReadAreReadHereToo() {
        pages.show("a")
        expect(false, "a", "a", since: "a")
        expect(true, "b", "b", since: "b")
    }

    @Test mutating func anotherEngineThatHasTheSameFileChangesNothing() {
        pages.show("a")
        expect(false, "a", "a", since: "a")
        expect(false, "b", "b", since: "a")
        expect(false, "b", "b", since: "b")
        expect(true, "c", "c", since: "c")
    }
}
