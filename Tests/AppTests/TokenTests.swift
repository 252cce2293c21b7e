import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Losing a token, giving another one, and never seeing it.
@Suite struct TokenTests {
    /// A token that says this; its signature is not one.
    static func token(_ payload: String) -> String {
        "eyJhbGciOiJSUzI1NiJ9." + base64(payload) + ".c2lnbmF0dXJl"
    }

    private static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (bits, count, result) = (0, 0, "")
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                result.append(alphabet[bits >> count & 63])
            }
        }
        return count > 0 ? result + String(alphabet[bits << (6 - count) & 63]) : result
    }

    /// Until 15:05 by the clock of the stage.
    static let readOnly = token(
        #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":["read-document","download"],"exp":1780153500}"#
    )

    private func needing(_ need: TokenNeed, unsent: Int = 0) -> SyncStatus {
        let minutes: Int64 = need == .expired ? -1 : 12
        return SyncStatus(connection: .needsToken(need), grant: .hotos(minutes: minutes), unsent: unsent)
    }

    private func item(_ id: String, _ kind: AnnotationKind) -> OutboxItem {
        OutboxItem(id: id, action: .create, kind: kind, delivery: .unsent)
    }

    private func card(_ stage: Stage) -> [String] {
        Array(stage.lines.drop { !$0.hasPrefix("-- Token needed") }.dropLast(2))
    }

    @Test func theCardSaysWhyWhatWaitsAndWhatTheNewTokenLoses() throws {
        let services = Sample.services()
        services.outbox = [item("1", .highlight), item("2", .note), item("3", .note)]
        let stage = Stage(services)
        stage.send(.status(needing(.expired, unsent: 3)))
        #expect(
            card(stage) == [
                "-- Token needed " + String(repeating: "-", count: 64),
                " The token for hotos17 / review expired at 11:59.",
                " Waiting here, safe: 1 highlight, 2 notes. Reading and editing go on.",
                " Paste a token, or @path to a file (not shown):",
                "",
                " Enter use it     Esc later (T brings this back)",
            ])
        stage.send(.key(.paste(Self.readOnly + "\n")))
        #expect(
            card(stage).suffix(3) == [
                " Paste a token, or @path to a file (not shown): [received \(Self.readOnly.count) characters]",
                " It says: user mia, layer review, until 15:05. Lost: write. 3 edits stay unsent.",
                " Enter use it     Esc later (T brings this back)     Ctrl-U clear",
            ])
        try stage.press("<enter>")
        #expect(stage.asked.last == .supplyToken(TokenText(Self.readOnly)))
        #expect(card(stage).contains(" Asking the server ..."))
        stage.send(.status(.live(.hotos([.readDocument, .download]))))
        #expect(card(stage).isEmpty)
        #expect(stage.foot.hasPrefix(#" read-only from now on: this token lacks "write""#))
        #expect(stage.statusLine.contains("READ-ONLY"))
    }

    @Test(arguments: [
        (TokenNeed.noneYet, " A token for hotos17 / review is needed to sync."),
        (.revoked, " The token for hotos17 / review was revoked."),
        (.forgotten, " The token for hotos17 / review was forgotten."),
        (.refused("bad signature"), " The server refused the token for hotos17 / review: bad signature"),
    ])
    func reasons(need: TokenNeed, sentence: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(need)))
        #expect(card(stage).dropFirst().first == sentence)
        #expect(stage.statusLine.contains("TOKEN? T"))
    }

    @Test func theReasonOfARefusalIsSaidOnce() {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.refused("bad signature"))))
        stage.send(.tokenRefused("the server refused it: bad signature"))
        #expect(card(stage).dropFirst().first == " The server refused the token for hotos17 / review.")
        #expect(card(stage).filter { $0.contains("bad signature") }.count == 1)
    }

    /// What the last good token said of its end says nothing of the one that was tried since.
    @Test func anExpiredTokenThatWasTriedIsNotTheOneBefore() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.forgotten)))
        let old = Self.token(
            #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":"all","exp":1780140000}"#
        )
        stage.send(.key(.paste(old)))
        #expect(card(stage).contains(" It says: user mia, layer review, expired at 11:20. The same rights."))
        try stage.press("<enter>")
        stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos())))
        stage.send(.tokenRefused("the token expired"))
        #expect(card(stage).dropFirst().first == " The token for hotos17 / review expired.")
    }

    @Test func aKeyOfTheCardIsInTheFooterOnce() {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.forgotten)))
        #expect(stage.lines.last?.contains("Enter use it") == true)
        #expect(stage.lines.last?.contains("Enter go to") == false)
    }

    @Test func otherKeysReachTheDocument() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.revoked)))
        try stage.press("jj<C-u>j")
        #expect(stage.state.document?.list.cursorID == "h2")
        try stage.press("anote<enter>")
        #expect(stage.state.document?.list.current?.text == "note")
    }

    @Test func escPutsItAwayUntilTheNextReason() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.expired)))
        try stage.press("<esc>")
        #expect(card(stage).isEmpty)
        stage.send(.status(needing(.expired, unsent: 1)))
        #expect(card(stage).isEmpty)
        stage.send(.status(needing(.revoked)))
        #expect(!card(stage).isEmpty)
        try stage.press("<esc>T")
        #expect(!card(stage).isEmpty)
    }

    @Test(arguments: ["awriting", "<tab>vee", "/filter", ":comm", "?"])
    func itNeverOpensOverWhatIsBeingDone(keys: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(keys)
        let before = stage.lines.dropLast(2)
        stage.send(.status(needing(.expired)))
        #expect(card(stage).isEmpty)
        #expect(stage.lines.dropLast(2) == before)
        if keys != "?" { #expect(stage.statusLine.contains("TOKEN? T")) }
        try stage.press("<esc>")
        #expect(!card(stage).isEmpty)
    }

    @Test func aFileIsNamedByItsPath() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        try stage.press("@/tmp/my token.jwt")
        #expect(card(stage)[3] == " File with the token: @/tmp/my token.jwt")
        try stage.press("<enter>")
        #expect(stage.asked.last == .readTokenFile("/tmp/my token.jwt"))
        stage.send(.tokenRead(TokenText(Self.readOnly)))
        #expect(card(stage)[4].hasPrefix(" It says: user mia"))
        try stage.press("<C-u>")
        #expect(card(stage)[4] == "")
        stage.send(.tokenRefused("the file can be read by others"))
        #expect(card(stage)[4] == " the file can be read by others")
    }

    @Test(arguments: [
        ("nonsense", " this is no token: a JWT has three parts divided by dots, this has 1"),
        (
            TokenTests.token(#"{"document_id":"other","permissions":"all","exp":1780153500}"#),
            " It is for other / default layer, not for this layer: Enter opens that beside"
        ),
        (
            TokenTests.token(
                #"{"document_id":"hotos17","layer":"review","user_id":"ben","permissions":"all","exp":1780153500}"#),
            " It is for user ben; this copy belongs to mia: Enter opens their own beside it."
        ),
    ])
    func whatIsWrongWithAToken(text: String, sentence: String) throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        stage.send(.key(.paste(text)))
        #expect(card(stage)[4] == sentence)
    }

    /// Nothing was lost meanwhile: the connection is live before and after.
    @Test func aTokenGivenInTimeClosesTheCard() throws {
        let stage = Stage(Sample.services())
        stage.send(.key(.paste(Self.readOnly)))
        try stage.press("<enter>")
        #expect(stage.screen.contains("Asking the server"))
        stage.send(.tokenAccepted)
        #expect(!stage.screen.contains("A new token"))
        stage.send(.status(.live(.hotos([.readDocument, .download]))))
        #expect(stage.foot.hasPrefix(#" read-only from now on: this token lacks "write""#))
    }

    @Test func aTokenOfAnotherUserOpensTheirOwnCopyBesideThisOne() throws {
        let services = Sample.services()
        services.opened.reference.userID = "ben"
        let stage = Stage(services, begin: .library)
        stage.send(.opened(OpenedLayer(reference: .hotos, status: .live(), hasPDF: true)))
        stage.send(.status(needing(.expired)))
        let bens = Self.token(
            #"{"document_id":"hotos17","layer":"review","user_id":"ben","permissions":"all","exp":1780153500}"#)
        stage.send(.key(.paste(bens)))
        try stage.press("<enter>")
        #expect(stage.asked.contains(.join(server: "http://localhost:5000", token: TokenText(bens))))
        #expect(stage.state.openCount == 2)
        #expect(stage.state.document?.reference.userID == "ben")
        #expect(!stage.asked.contains { if case .supplyToken = $0 { true } else { false } })
        // Mia's copy still waits for a token of hers.
        try stage.press("[")
        #expect(!card(stage).isEmpty)
    }

    /// What the card says of a token's rights beside those in force.
    @Test(arguments: [
        (#""permissions":"all""#, "The same rights."),
        (#""permissions":["read-document"]"#, "Lost: download, write."),
        (
            #""permissions":"all","collaboration_permissions":["annotations:view:all","annotations:edit:self"]"#,
            "Record by record, no more than: annotations:view:all, annotations:edit:self."
        ),
        (#""permissions":"all","default_group":"second""#, "Group of new records: none -> second."),
        (#""permissions":"all","creator_name":"Mia M.""#, "You write as Mia M.."),
    ])
    func rightsAreCompared(claims: String, sentence: String) {
        let stage = Stage(Sample.services(), columns: 200)
        let text = #"{"document_id":"hotos17","layer":"review","user_id":"mia",\#(claims),"exp":1780153500}"#
        stage.send(.key(.paste(Self.token(text))))
        #expect(stage.screen.contains("until 15:05. \(sentence)"), "\(stage.screen)")
    }

    @Test func anUnreadableTokenIsNotHandedOver() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        try stage.press("<enter><paste:nonsense><enter>")
        #expect(!stage.asked.contains { if case .supplyToken = $0 { true } else { false } })
        #expect(stage.foot == " this cannot be used: Ctrl-U clears it")
    }

    @Test func aTokenPastedWhereNothingIsWrittenOpensTheCardFilled() throws {
        let stage = Stage(Sample.services())
        try stage.press("<paste:just words>")
        #expect(stage.foot == " nothing is being written here: 10 pasted characters were left out")
        stage.send(.key(.paste(Self.readOnly)))
        #expect(stage.screen.contains("[received \(Self.readOnly.count) characters]"))
        #expect(stage.screen.contains("-- A new token ---"))
    }

    /// On no screen, in no effect's description, in no dump of the state.
    @Test func theTokenIsNeverShown() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.expired)))
        stage.send(.key(.paste(Self.readOnly)))
        try stage.press("<enter>")
        stage.send(.tokenRefused("no"))
        let secret = Self.readOnly.dropFirst(30).prefix(40)
        for size in [Size(rows: 24, columns: 80), Size(rows: 60, columns: 300), Size(rows: 9, columns: 31)] {
            stage.send(.resize(size))
            #expect(!stage.screen.contains(secret))
        }
        #expect(!String(reflecting: stage.asked).contains(secret))
        #expect(!"\(stage.state)".contains(secret))
        var dumped = ""
        dump(stage.state, to: &dumped)
        #expect(!dumped.contains(secret))
    }

    @Test func theEndOfTheTokenIsToldWhenTheSyncForeseesIt() throws {
        let stage = Stage(Sample.services())
        let end = try #require(stage.state.document?.status.grant?.expiresAt)
        stage.now = .noon + 8 * 60_000
        stage.send(.tick(stage.now))
        #expect(!stage.foot.contains("expires"))
        stage.send(.tokenExpires(end))
        #expect(stage.foot == " the token expires in 4m; T gives a new one")
        try stage.press("j")
        #expect(!stage.foot.contains("expires"))
        stage.now = .noon + 11 * 60_000 + 30_000
        stage.send(.tick(stage.now))
        stage.send(.tokenExpires(end))
        #expect(stage.foot == " the token expires in 30s; T gives a new one")
        #expect(stage.state.wakeAfter == 1000)
    }

    @Test func forgettingAndGoingOffline() throws {
        let stage = Stage(Sample.services())
        try stage.press(":forget-token<enter>:offline<enter>:online<enter>S")
        let asked = stage.asked.filter { if case .remember = $0 { false } else { true } }
        #expect(asked.suffix(4) == [.forgetToken, .setOnline(false), .setOnline(true), .syncNow])
    }
}

/// A token that lands where text is written stays out of notes, drafts and prompts.
@Suite struct MisplacedTokenTests {
    private let token = TokenTests.readOnly

    @Test(arguments: ["a", "/", ":", "<tab>/"])
    func aPastedTokenIsLeftOut(keys: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(keys)
        stage.send(.key(.paste("\(token)\n")))
        #expect(stage.state.prompt?.input.isEmpty ?? true)
        #expect(stage.state.document?.editor?.input.isEmpty ?? true)
        #expect(!stage.screen.contains("eyJ"))
    }

    /// A terminal without bracketed paste types it: the first letter is a key, the rest would be a text.
    @Test func aTypedTokenIsNeitherSavedNorKeptAsADraft() throws {
        let stage = Stage(Sample.services())
        for character in token { stage.send(.key(.character(character))) }
        try stage.press("<enter>")
        #expect(stage.foot == " there is a token in this text: it is not saved; T takes tokens")
        try stage.press("<esc>")
        stage.now = stage.now + 10_000
        stage.send(.tick(stage.now))
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
        #expect(!stage.asked.contains { if case .saveDraft = $0 { true } else { false } })
    }

    @Test func ordinaryTextIsNotAToken() {
        #expect(!TokenText.isIn("eyJ is how a token begins, e.g. at example.com."))
        #expect(!TokenText.isIn("see www.example.com and yJ.a.b"))
        #expect(TokenText.isIn("here: \(token) (mine)"))
    }
}
