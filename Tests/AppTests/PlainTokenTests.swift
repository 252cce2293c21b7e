import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Tokens and the library without a screen.
@Suite struct PlainTokenTests {
    @Test func aTokenThatEndsIsToldAndANewOneTaken() {
        let services = Sample.services()
        let stage = PlainStage(services)
        var status = SyncStatus.live()
        status.connection = .needsToken(.expired)
        stage.send(.status(status))
        #expect(stage.said.count == 1)
        let said = stage.type("status")
        #expect(said.contains { $0.hasPrefix("The token for hotos17 / review expired") })
        #expect(said.last == "Type token to enter one.")
        #expect(stage.type("status").count == 1, "the prompt is not repeated")
        stage.type("token")
        #expect(stage.hidesInput)
        #expect(stage.prompt == "token, or @ and a file name (hidden): ")
        let asked = stage.type(TokenTests.readOnly)
        #expect(asked.contains { $0.hasPrefix("Token for user") } && !asked.joined().contains(TokenTests.readOnly))
        #expect(stage.asked.last == .supplyToken(TokenText(TokenTests.readOnly)))
        #expect(!stage.isReady)
        stage.send(.status(.live()))
        #expect(stage.isReady && !stage.hidesInput)
    }

    @Test func whatIsNoTokenIsSaidAndNothingIsSent() {
        let stage = PlainStage(Sample.services())
        stage.type("token")
        #expect(stage.type("nonsense").isEmpty == false)
        #expect(!stage.asked.contains { if case .supplyToken = $0 { true } else { false } })
        stage.type("token")
        #expect(stage.type("") == ["No token entered."])
        #expect(stage.isReady)
    }

    @Test func aFileIsReadForIt() {
        let stage = PlainStage(Sample.services())
        stage.type("token")
        stage.type("@~/review.jwt")
        #expect(stage.asked.last == .readTokenFile("~/review.jwt"))
        stage.send(.tokenRead(TokenText(TokenTests.readOnly)))
        #expect(stage.asked.last == .supplyToken(TokenText(TokenTests.readOnly)))
        stage.send(.tokenRefused("this token has ended"))
        #expect(stage.said.last == "This token has ended")
        #expect(stage.isReady)
    }

    @Test func theLibraryIsListedAndALayerOpened() {
        let services = Sample.services()
        services.entries = LibraryTests.entries
        let stage = PlainStage(services, begin: .library)
        #expect(stage.said.first == "1 hotos17, layer review, 1 unsent, 2 unread, mia at http://localhost:5000")
        #expect(stage.prompt == "library> ")
        #expect(stage.type("read") == ["Open a layer first: open N"])
        #expect(stage.type("open 9") == ["Usage: open N (1 to 3)"])
        #expect(stage.type("open 1") == ["hotos17, layer review, 3 pages, 4 annotations, 1 unread"])
        #expect(stage.type("library").count == 3)
        stage.type("quit")
        #expect(stage.isDone)
    }

    @Test func anEmptyLibrarySaysWhatToDo() {
        let stage = PlainStage(FakeServices(), begin: .library)
        #expect(stage.said == ["No layers yet. Type demo, add SERVER or open FILE."])
        stage.type("add http://localhost:5000")
        #expect(stage.hidesInput)
        stage.type("")
        #expect(stage.prompt == "library> ")
    }

    /// A script must not read "None." because its line came first.
    @Test func aLineWaitsUntilTheAnnotationsOfALocalFileAreRead() {
        let services = Sample.services()
        services.holdsAnnotations = true
        let stage = PlainStage(services, begin: .file("notes.pdf"))
        #expect(stage.said == [])
        #expect(!stage.isReady)
        services.records = []
        stage.send(.at(LayerReference(server: "", documentID: "notes.pdf"), .annotationsRead))
        #expect(stage.said.first?.contains("0 annotations") == true)
        #expect(stage.isReady)
        #expect(stage.type("list").first == "None.")
    }

    @Test func whatCannotBeOpenedEndsWithTheReason() {
        var state = PlainState(AppState(begin: .file("nowhere.pdf"), size: Size(rows: 60, columns: 100), seed: (1, 2)))
        #expect(state.start(at: .noon) == [.openFile("nowhere.pdf")])
        #expect(!state.isReady)
        _ = state.receive(.openFailed("nowhere.pdf is not a PDF"))
        #expect(state.takeLines().map(\.string) == ["Cannot open this file: nowhere.pdf is not a PDF"])
        #expect(state.hasFailed)
        #expect(state.app.hasQuit)
    }
}
