import Annotations
import InstantCore
import PDFPages
import Screen
import Testing

@testable import App

/// A look at where a link or a reference leads, without going there.
@Suite struct LookAtTests {
    static func services() throws -> FakeServices {
        let services = Sample.services()
        services.pages = [
            Sample.page(["It was shown [2, 12] before.", "See the plan."]), Sample.page(["The middle."]),
            Sample.page(["References", "[2] A. Second: Two.", "[12] B. Twelfth: Twelve things.", "The end."]),
        ]
        services.records = [
            Record(
                id: "k1",
                content: try Content(
                    #"{"v":1,"type":"pspdfkit/link","pageIndex":0,"bbox":[72,86,80,12],"#
                        + #""action":{"type":"goTo","pageIndex":1}}"#))
        ]
        return services
    }

    @Test func aReferenceShowsItsEntry() throws {
        let stage = Stage(try Self.services())
        try stage.press("<tab>wwwwgr")
        #expect(stage.boxTitle == "[12] · page 3")
        #expect(stage.box.first?.hasPrefix("[12] B. Twelfth: Twelve things.") == true)
        // One has not gone there.
        #expect(stage.state.document?.page.index == 0)
        try stage.press("<esc>")
        #expect(stage.state.overlay == nil)
        try stage.press("bgr")
        #expect(stage.boxTitle == "[2] · page 3" && stage.box.first?.hasPrefix("[2] A. Second: Two.") == true)
        try stage.press("<enter>")
        #expect(stage.state.document?.page.index == 2 && stage.underCursor.hasPrefix("[2]"))
        try stage.press("<C-o>")
        #expect(stage.state.document?.page.index == 0)
    }

    @Test func aLinkShowsItsPage() throws {
        let stage = Stage(try Self.services())
        try stage.press("<tab>wwwwwwgr")
        #expect(stage.boxTitle == "page 2")
        #expect(stage.box.map { String($0.drop { $0 == " " }) } == ["The middle."])
        #expect(stage.state.document?.page.index == 0)
    }

    @Test func elsewhereThereIsNothingToLookAt() throws {
        let stage = Stage(try Self.services())
        try stage.press("<tab>gr")
        #expect(stage.foot == " No link and no reference such as [12] at the cursor")
        #expect(stage.state.document?.look == nil)
    }

    @Test func whilePagesAreReadItSaysSo() throws {
        let services = try Self.services()
        let stage = Stage(services)
        try stage.press("<tab>wwww")
        services.holdsPages = true
        try stage.press("gr")
        #expect(stage.box.first?.hasPrefix("Searching the document: ") == true)
        stage.send(.indexFailed("the tool is missing"))
        #expect(stage.box.joined(separator: " ").contains("Not all pages were searched: the tool is missing"))
        try stage.press("<esc>")
        #expect(stage.state.document?.look == nil)
    }
}
