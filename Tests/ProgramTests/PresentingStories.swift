import FaultProxy
import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct PresentingStories {
    let engine: EngineProcess
    let ana: Person
    let sam: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        sam = try Person("sam", at: engine, token: try engine.token("sam", reading: true))
    }

    /// The presenter turns pages and selects; a read-only spectator follows, breaks away and returns.
    @Test func aSpectatorFollowsThePresenter() throws {
        let (presenter, spectator) = (try ana.open(), try sam.open())
        try presenter.see("Sam")
        try spectator.see("Ana")
        try spectator.press("P")
        try spectator.see(#"Read-only: this token lacks "write""#)
        try presenter.press("P")
        try presenter.see("PRESENTING to 1")
        try spectator.see("Ana is presenting; F to follow")
        try spectator.press("F")
        try spectator.see("FOLLOWING Ana")
        try presenter.press("J")
        try spectator.see("page 2 of 3")
        try presenter.press("<tab>wwv$")
        try spectator.wait(until: "the presenter's words are marked", seconds: Patience.long) { terminal in
            (0..<terminal.size.columns).contains { terminal.cell(1, $0).attributes.contains(.bold) }
        }
        try spectator.press("J")
        try spectator.see("NOT FOLLOWING")
        try presenter.press("<esc>")
        try presenter.see(no: "SELECT")
        try presenter.press("K")
        try presenter.see("page 1 of 3")
        try spectator.press("F")
        try spectator.see("page 1 of 3")
        #expect(try presenter.quit() == [])
        try spectator.see("Ana stopped presenting; you stay on page 1")
        #expect(try spectator.quit() == [])
    }

    @Test func aConnectionThatIsCutIsNoDeparture() async throws {
        let proxy = try await FaultProxy(to: try #require(URL(string: engine.url)?.port))
        let presenter = try ana.start(["open", proxy.url, "--token-file", ana.tokenFile])
        let spectator = try sam.open()
        try presenter.see("Sam")
        try presenter.press("P")
        try spectator.see("Ana is presenting; F to follow")
        try spectator.press("F")
        try spectator.see("FOLLOWING Ana")
        let before = proxy.connections
        proxy.cut()
        try spectator.wait(until: "the presenter is back", seconds: Patience.long) { _ in proxy.connections > before }
        try presenter.press("J")
        try spectator.see("page 2 of 3")
        #expect(spectator.text.contains(" FOLLOWING Ana") && !spectator.text.contains("presenting again"))
        #expect(try presenter.quit() == [])
        try spectator.see("Ana stopped presenting; you stay on page 2")
        #expect(try spectator.quit() == [])
    }

    @Test func onePresentsAtATime() throws {
        let ben = try Person("ben", at: engine)
        let (first, second) = (try ana.open(), try ben.open())
        try second.see("Ana")
        try first.press("P")
        try second.see("Ana is presenting; F to follow")
        try second.press("P")
        try second.see("Another person is already presenting: Ana")
        try first.press("P")
        try second.see("Ana stopped presenting")
        try second.press("P")
        try second.see("PRESENTING to 1")
        try first.see("Ben is presenting; F to follow")
    }
}
