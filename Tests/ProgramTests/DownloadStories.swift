import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct DownloadStories {
    /// A slow connection, and a PDF that takes some seconds on it.
    @Test func aDownloadIsShownStoppedAndGoesOn() throws {
        let engine = try EngineProcess(options: ["--limit-rate", "60000"])
        try engine.upload(Repository.root + "/Resources/samples/harbour-handbook.pdf")
        let ana = try Person(at: engine)
        let terminal = try ana.start()
        try terminal.see("Downloading")
        try terminal.see("kB of 219 kB")
        try terminal.press("<esc>")
        try terminal.see("Press D to download it")
        try terminal.see("Annotations ")
        try terminal.press("D")
        try terminal.see("(1 of 109)")
        try terminal.see("synced")
        #expect(try terminal.quit() == [])
    }
}
