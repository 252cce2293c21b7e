import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// `:attach` stores a file, then creates its annotation as one step that can be taken back.
@Suite struct AttachTests {
    @Test func aFileIsAttachedToThePage() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>:attach report.txt<enter>")
        let asked = stage.asked.compactMap { effect -> (String, Int)? in
            if case .attach(let path, let page, _) = effect { (path, page) } else { nil }
        }
        #expect(asked.map(\.0) == ["report.txt"] && asked.map(\.1) == [0])
        let id = try #require(AttachmentID(String(repeating: "a", count: 64)))
        let content = Content.file(
            onPage: 0, at: Point(x: 9, y: 9), attachment: id, name: "report.txt", size: 10)
        stage.send(.attached(content))
        #expect(stage.screen.contains("Added attached file"))
        #expect(
            stage.asked.contains { if case .perform(let step) = $0 { step.edits == [.create(content)] } else { false } }
        )
        try stage.press(":attach<enter>")
        #expect(stage.foot.contains("Usage: attach FILE"))
    }

    @Test func aSpectatorAttachesNothing() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        let stage = Stage(services)
        try stage.press(":attach report.txt<enter>")
        #expect(!stage.asked.contains { if case .attach = $0 { true } else { false } })
    }

    @Test func theHelpExplainsTheLetters() throws {
        let letters = Dictionary(uniqueKeysWithValues: AnnotationKind.lettersWithNames)
        #expect(letters["C"] == "comment marker, comment, caret" && letters["?"] == "unknown")
        for kind in AnnotationKind.known { #expect(letters[kind.letter]?.contains(kind.name) == true, "\(kind)") }
        let stage = Stage(Sample.services(), rows: 24, columns: 80)
        try stage.press("?G")
        #expect(stage.screen.contains("form field") && stage.screen.contains("sound, movie"))
    }
}
