import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Where notices stand: never on the keys, never on a text that is being written.
@Suite struct NoticePlaceTests {
    private static let why =
        "the disk is full, and the local copy of this layer, which lies on it, can take no further edits until there is "
        + "room again; remove what is not needed, or move the folder of postilla to another disk, then save again"

    @Test(arguments: [(24, 80), (20, 45), (12, 60)])
    func aLongOneDoesNotCoverTheEditor(rows: Int, columns: Int) throws {
        let stage = Stage(Sample.services(), rows: rows, columns: columns)
        try stage.press("e and more<enter>")
        stage.services.failure = Self.why
        try stage.press("e and more of it<enter>")
        #expect(stage.state.document?.editor != nil)
        #expect(stage.screen.contains("Not saved: the disk is full"))
        #expect(stage.screen.contains("and more of it"), "the text that was not saved can be read")
        #expect(stage.lines.last?.contains("Enter save") == true)
    }

    /// Under a box, the notice takes the status line, and the box keeps its keys.
    @Test func itDoesNotCoverTheKeysOfABox() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = Stage(services, rows: 24, columns: 80)
        try stage.press("<C-p>")
        stage.send(.notice(Self.why))
        #expect(stage.screen.contains("The disk is full"))
        #expect(stage.lines.contains { $0.contains("Enter choose") && $0.contains("Esc close") })
    }
}
