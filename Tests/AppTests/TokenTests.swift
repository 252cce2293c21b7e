import Annotations
import Authorization
import InstantCore
import Screen
import SyncProtocol
import Testing

@testable import App

/// Losing a token and entering another, which is never shown.
@Suite struct TokenTests {
    /// A token with this payload and an invalid signature.
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

    /// Valid until 15:05 by the test clock.
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

    /// The lines of the card; empty if it is closed.
    private func card(_ stage: Stage) -> [String] {
        ["Token needed", "New token"].contains(stage.boxTitle) ? stage.box : []
    }

    @Test func theCardSaysWhyWhatWaitsAndWhatTheNewTokenLoses() throws {
        let services = Sample.services()
        services.outbox = [item("1", .highlight), item("2", .note), item("3", .note)]
        let stage = Stage(services)
        stage.send(.status(needing(.expired, unsent: 3)))
        #expect(
            card(stage) == [
                "The token for hotos17 / review expired at 11:59.", "Server: http://localhost:5000",
                "Unsent, safe here: 1 highlight, 2 notes. You can keep reading and",
                "editing.", "", "Token or @file (hidden):",
            ])
        #expect(stage.boxKeys.hasPrefix(" Enter use token  Esc close  Ctrl-U clear"))
        stage.send(.key(.paste(Self.readOnly + "\n")))
        #expect(
            card(stage).suffix(3) == [
                "Token or @file: \(Self.readOnly.count) characters (hidden)",
                "Token for user mia, layer review, valid until 15:05. Lost: write. 3", "edits held.",
            ])
        try stage.press("<enter>")
        #expect(stage.asked.last == .supplyToken(TokenText(Self.readOnly)))
        #expect(card(stage).contains("Checking with the server ..."))
        stage.send(.status(.live(.hotos([.readDocument, .download]))))
        #expect(card(stage).isEmpty)
        #expect(stage.foot.hasPrefix(#" Now read-only: this token lacks "write""#))
        #expect(stage.statusLine.contains("READ-ONLY"))
    }

    @Test(arguments: [
        (TokenNeed.noneYet, "Syncing hotos17 / review needs a token."),
        (.revoked, "The token for hotos17 / review was revoked."),
        (.forgotten, "The token for hotos17 / review was forgotten."),
        (.refused("bad signature"), "The server rejected the token for hotos17 / review: bad signature"),
    ])
    func reasons(need: TokenNeed, sentence: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(need)))
        #expect(card(stage).first == sentence)
        #expect(stage.statusLine.contains("TOKEN? T"))
    }

    @Test func theReasonOfARefusalIsSaidOnce() {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.refused("bad signature"))))
        stage.send(.tokenRefused("the server refused it: bad signature"))
        #expect(card(stage).first == "The server rejected the token for hotos17 / review.")
        #expect(card(stage).filter { $0.contains("bad signature") }.count == 1)
    }

    private func verdict(_ reason: ErrorAnswer.Reason, clock: Int64) -> TokenVerdict {
        var verdict = TokenVerdict(
            refusal: ErrorAnswer(reason, "no"), now: .noon + clock,
            key: TokenVerdict.Key(algorithm: "ES256", sha256: "3f2a91c0" + String(repeating: "0", count: 56)))
        verdict.warnings = [#"unknown permission "x"; it grants nothing"#]
        return verdict
    }

    /// After a refusal, the card also shows what the server knows about the token.
    @Test func aRefusalIsExplained() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.expired)))
        stage.send(.key(.paste(Self.readOnly)))
        try stage.press("<enter>")
        stage.send(.tokenRefused("the token has expired"))
        stage.send(.tokenChecked(verdict(.tokenExpired, clock: 3 * 60_000)))
        #expect(
            card(stage).suffix(4) == [
                "The token has expired",
                "Signed with a key of the server (ES256 3f2a91c0). The server's clock is",
                "3m ahead of this one.", #"Warning: unknown permission "x"; it grants nothing"#,
            ])
        // The verdict does not apply to the next token.
        stage.send(.key(.paste(Self.readOnly)))
        #expect(!stage.screen.contains("3f2a91c0"))
        stage.send(.tokenChecked(verdict(.tokenExpired, clock: 0)))
        #expect(!stage.screen.contains("3f2a91c0"))
    }

    @Test(arguments: [
        (Int64(0), "Signed with a key of the server (ES256 3f2a91c0)."),
        (59_999, "Signed with a key of the server (ES256 3f2a91c0)."),
        (-7_200_000, "Signed with a key of the server (ES256 3f2a91c0). The server's clock is"),
    ])
    func clocksAreComparedInMinutes(_ difference: Int64, _ line: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.revoked)))
        stage.send(.tokenChecked(verdict(.tokenRevoked, clock: difference)))
        #expect(card(stage).contains(line), "\(stage.screen)")
    }

    @Test func aTokenThatNoKeyVerifiesIsReportedAsSuch() {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.refused("bad signature"))))
        stage.send(.tokenChecked(TokenVerdict(refusal: ErrorAnswer(.signatureInvalid, "bad signature"))))
        #expect(card(stage).contains("No key of the server verifies its signature."))
    }

    /// A token may have hundreds of odd entries.
    @Test func oddTokensCauseWarningsBeforeTheyAreUsed() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        let token = Self.token(
            #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":["a","b","c","write"],"exp":1780153500}"#
        )
        stage.send(.key(.paste(token)))
        #expect(
            card(stage).filter { $0.contains("Warning") } == [
                #"Warning: unknown permission "a"; it grants nothing"#,
                #"Warning: unknown permission "b"; it grants nothing"#,
                #"Warning: unknown permission "c"; it grants nothing"#,
                "Warning: 1 more; see postilla token check",
            ])
        let blind = Self.token(
            #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":["download"],"exp":1780153500}"#)
        try stage.press("<C-u>")
        stage.send(.key(.paste(blind)))
        #expect(stage.screen.contains(#"Warning: without the permission "read-document" this token cannot open"#))
    }

    /// The expiry of the last accepted token does not apply to one tried since.
    @Test func anExpiredTokenThatWasTriedIsNotTheOneBefore() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.forgotten)))
        let old = Self.token(
            #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":"all","exp":1780140000}"#
        )
        stage.send(.key(.paste(old)))
        #expect(
            card(stage).joined(separator: " ").contains(
                "Token for user mia, layer review, expired at 11:20. Same rights as before."))
        try stage.press("<enter>")
        stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos())))
        stage.send(.tokenRefused("the token has expired"))
        #expect(card(stage).first == "The token for hotos17 / review expired.")
    }

    /// The card is an overlay: keys that mean something below it are letters of the token.
    @Test func typedKeysGoIntoTheCardAndNowhereElse() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.revoked)))
        let before = stage.state.document
        for character in Self.readOnly.dropFirst() { stage.send(.key(.character(character))) }
        try stage.press("<home>")
        stage.send(.key(.character("e")))
        #expect(stage.state.document == before)
        #expect(card(stage).contains("Token or @file: \(Self.readOnly.count) characters (hidden)"))
        #expect(card(stage).contains { $0.hasPrefix("Token for user mia, layer review") })
        try stage.press("<enter>")
        #expect(stage.asked.last == .supplyToken(TokenText(Self.readOnly)))
    }

    @Test func theInputIsEditedUnseen() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.revoked)))
        try stage.press("abcd<left><backspace><del>e<C-e><C-w>")
        #expect(card(stage).last == "Token or @file (hidden):")
        try stage.press("x<enter>")
        #expect(card(stage).last == "Not a token: a JWT has three parts separated by dots; this has 1")
        try stage.press("y")
        #expect(card(stage).last == "Token or @file: 2 characters (hidden)")
    }

    /// Esc closes the card alone, and the editor cannot be opened through it.
    @Test func escClosesExactlyTheCard() throws {
        let stage = Stage(Sample.services())
        try stage.press("Te<esc>")
        #expect(card(stage).isEmpty && stage.state.document?.editor == nil)
        try stage.press("e<esc>")
        #expect(stage.state.document?.editor == nil && stage.state.overlay == nil)
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

    @Test(arguments: ["awriting", "<tab>vee", "/filter", ":comm", "?", "<C-p>no", "5"])
    func itNeverOpensOverWhatIsBeingDone(keys: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(keys)
        let before = stage.lines.dropLast(2)
        stage.send(.status(needing(.expired)))
        #expect(card(stage).isEmpty)
        #expect(stage.lines.dropLast(2) == before)
        try stage.press("<esc>")
        #expect(!card(stage).isEmpty)
    }

    @Test func aFileIsNamedByItsPath() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        try stage.press("@/tmp/my token.jwt")
        #expect(card(stage).dropFirst(4).first == "Token file: @/tmp/my token.jwt")
        try stage.press("<enter>")
        #expect(stage.asked.last == .readTokenFile("/tmp/my token.jwt"))
        stage.send(.tokenRead(TokenText(Self.readOnly)))
        #expect(card(stage).dropFirst(5).joined().hasPrefix("Token for user mia"))
        try stage.press("<C-u>")
        #expect(card(stage).last == "Token or @file (hidden):")
        try stage.press("@x<enter>")
        stage.send(.tokenRefused("the file can be read by others"))
        #expect(card(stage).suffix(2) == ["Token file: @x", "The file can be read by others"], "to be corrected")
        try stage.press("<backspace>y<enter>")
        #expect(stage.asked.last == .readTokenFile("y"))
    }

    @Test func aPathIsCompleted() throws {
        let stage = Stage(Sample.services())
        try stage.press("T@/tmp/re<tab>")
        #expect(stage.asked.last == .completePath("/tmp/re"))
        stage.send(.pathsFound("/tmp/re", ["/tmp/review-a.jwt", "/tmp/review-b.jwt"]))
        #expect(card(stage).suffix(3) == ["Token file: @/tmp/review-", "/tmp/review-a.jwt", "/tmp/review-b.jwt"])
        try stage.press("a<tab>")
        stage.send(.pathsFound("/tmp/re", ["/tmp/rest"]))
        stage.send(.pathsFound("/tmp/review-a", ["/tmp/review-a.jwt"]))
        #expect(card(stage).last == "Token file: @/tmp/review-a.jwt")
    }

    /// A token after `@`, or typed in front of a path, is not shown as a path.
    @Test func aTokenIsNoPath() throws {
        let stage = Stage(Sample.services())
        try stage.press("T@")
        for character in Self.readOnly { stage.send(.key(.character(character))) }
        #expect(!stage.screen.contains("eyJ"))
        #expect(card(stage).contains("Token or @file: \(Self.readOnly.count) characters (hidden)"))
        try stage.press("<C-u>")
        stage.send(.key(.paste(Self.readOnly)))
        try stage.press("<home>@")
        #expect(!stage.screen.contains("eyJ"))
    }

    @Test func aFileThatComesLateDoesNotReplaceWhatIsTyped() throws {
        let stage = Stage(Sample.services())
        try stage.press("T@/tmp/slow<enter>abc")
        stage.send(.tokenRead(TokenText(Self.readOnly)))
        #expect(card(stage).last == "Token file: @/tmp/slowabc")
    }

    @Test(arguments: [
        ("nonsense", "Not a token: a JWT has three parts separated by dots; this has 1"),
        (
            TokenTests.token(#"{"document_id":"other","permissions":"all","exp":1780153500}"#),
            "Token for other / default layer, not for this layer: Enter to open that layer"
        ),
        (
            TokenTests.token(
                #"{"document_id":"hotos17","layer":"review","user_id":"ben","permissions":"all","exp":1780153500}"#),
            "Token for user ben; this copy belongs to mia: Enter to open a separate copy."
        ),
    ])
    func whatIsWrongWithAToken(text: String, sentence: String) throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        stage.send(.key(.paste(text)))
        #expect(card(stage).dropFirst(5).joined(separator: " ").hasPrefix(sentence))
    }

    /// The connection stays live throughout.
    @Test func aTokenGivenInTimeClosesTheCard() throws {
        let stage = Stage(Sample.services())
        stage.send(.key(.paste(Self.readOnly)))
        try stage.press("<enter>")
        #expect(stage.screen.contains("Checking with the server"))
        stage.send(.tokenAccepted)
        #expect(!stage.screen.contains("New token"))
        stage.send(.status(.live(.hotos([.readDocument, .download]))))
        #expect(stage.foot.hasPrefix(#" Now read-only: this token lacks "write""#))
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
        // Mia's copy still needs a token for mia.
        try stage.press("[")
        #expect(!card(stage).isEmpty)
    }

    /// The card's comparison of a token's rights with the current ones.
    @Test(arguments: [
        (#""permissions":"all""#, "Same rights as before."),
        (#""permissions":["read-document"]"#, "Lost: download, write."),
        (
            #""permissions":"all","collaboration_permissions":["annotations:view:all","annotations:edit:self"]"#,
            "Records limited to: annotations:view:all, annotations:edit:self."
        ),
        (#""permissions":"all","default_group":"second""#, "Group of new records: none -> second."),
        (#""permissions":"all","creator_name":"Mia M.""#, "Author: Mia M.."),
    ])
    func rightsAreCompared(claims: String, sentence: String) {
        let stage = Stage(Sample.services(), columns: 200)
        let text = #"{"document_id":"hotos17","layer":"review","user_id":"mia",\#(claims),"exp":1780153500}"#
        stage.send(.key(.paste(Self.token(text))))
        #expect(stage.box.joined(separator: " ").contains("valid until 15:05. \(sentence)"), "\(stage.screen)")
    }

    @Test func anUnreadableTokenIsNotHandedOver() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(needing(.noneYet)))
        try stage.press("<enter><paste:nonsense><enter>")
        #expect(!stage.asked.contains { if case .supplyToken = $0 { true } else { false } })
        #expect(stage.foot == " This token cannot be used; Ctrl-U to clear it")
    }

    @Test func aTokenPastedWhereNothingIsWrittenOpensTheCardFilled() throws {
        let stage = Stage(Sample.services())
        try stage.press("<paste:just words>")
        #expect(stage.foot == " Paste ignored: no text field is open (10 characters)")
        stage.send(.key(.paste(Self.readOnly)))
        #expect(stage.screen.contains("Token or @file: \(Self.readOnly.count) characters (hidden)"))
        #expect(stage.screen.contains("┌─ New token ──"))
    }

    /// No screen, effect description or state dump contains the token.
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
        #expect(stage.foot == " The token expires in 4m; T to enter a new one")
        stage.now = stage.now + 4_000
        try stage.press("j")
        #expect(!stage.foot.contains("expires"))
        stage.now = .noon + 11 * 60_000 + 30_000
        stage.send(.tick(stage.now))
        stage.send(.tokenExpires(end))
        #expect(stage.foot == " The token expires in 30s; T to enter a new one")
        #expect(stage.state.wakeAfter == 1000)
    }

    @Test func forgettingAndGoingOffline() throws {
        let stage = Stage(Sample.services())
        try stage.press(":forget-token<enter>:offline<enter>:online<enter>S")
        let asked = stage.asked.filter { if case .remember = $0 { false } else { true } }
        #expect(asked.suffix(4) == [.forgetToken, .setOnline(false), .setOnline(true), .syncNow])
    }
}

/// A token entered in a text field stays out of notes, drafts and prompts.
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

    /// Without bracketed paste, a token arrives as typed keys: the first letter is a command, the rest becomes text.
    @Test func aTypedTokenIsNeitherSavedNorKeptAsADraft() throws {
        let stage = Stage(Sample.services())
        for character in token { stage.send(.key(.character(character))) }
        try stage.press("<enter>")
        #expect(stage.foot == " Not saved: the text contains a token; press T to enter tokens")
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
