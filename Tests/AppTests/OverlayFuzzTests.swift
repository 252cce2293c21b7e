import Annotations
import Authorization
import FoundationEssentials
import InstantCore
import Screen
import TestSupport
import TestThreads
import Testing

@testable import App

/// Random keys, while overlays open by themselves at any moment: what is typed into one reaches nothing else.
/// `FROM=1000 SEQUENCES=10000 swift test --skip-build --filter OverlayFuzzTests` runs more, and others.
@Suite(.onOwnThreads) struct OverlayFuzzTests {
    private static let first = number("FROM") ?? 0
    private static let total = number("SEQUENCES") ?? 160

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Occurs in nothing else. Typed letter by letter, pasted whole, or pasted in parts.
    private static let token = TokenTests.token(
        #"{"document_id":"hotos17","layer":"review","user_id":"mia","permissions":"all","exp":1780153500}"#)
    private static let draft = "Ωmega ætext"

    @Test(arguments: 0..<8)
    func whatIsTypedStaysInItsOverlay(part: Int) throws {
        for seed in stride(from: Self.first + part, to: Self.first + Self.total, by: 8) { try run(UInt64(seed)) }
    }

    private func run(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let services = OutboxTests.services()
        services.entries = LibraryTests.entries
        services.opened.author = seed % 3 == 0 ? nil : "me"
        let stage = Stage(services, begin: seed % 5 == 0 ? .library : .layer(.hotos), rows: 24, columns: 80)
        var script: [Key] = []
        // Whether the token was typed where it is text, and may be shown.
        var isMisplaced = false
        for _ in 0..<40 {
            if stage.state.hasQuit { return }
            if script.isEmpty { script = try Self.script(using: &random) }
            if random.chance(1, of: 4) {
                stage.send(Self.message(using: &random))
                if !isMisplaced { try expectNoTrace(stage, seed) }
                continue
            }
            let key = script.removeFirst()
            switch stage.state.overlay {
            case .prompt, .picker, .editor: isMisplaced = true
            // The path of a token's file is shown.
            case .token where stage.state.token?.path != nil: isMisplaced = true
            case .help where stage.state.help?.isTyping == true: isMisplaced = true
            default: break
            }
            // What is due without the key happens before it.
            stage.now = stage.now + 200
            stage.send(.tick(stage.now))
            let before = stage.state
            let asked = stage.asked.count
            stage.send(.key(key))
            try expectContained(key, before, stage, stage.asked.dropFirst(asked), seed)
            if !isMisplaced { try expectNoTrace(stage, seed) }
        }
    }

    /// A text key or a paste changes nothing but the topmost overlay, and requests nothing.
    private func expectContained(
        _ key: Key, _ before: AppState, _ stage: Stage, _ effects: ArraySlice<Effect>, _ seed: UInt64
    ) throws {
        guard let overlay = before.overlay, before.picture == nil else { return }
        switch key {
        case .character, .paste, .click: break
        default: return
        }
        var (old, new) = (before, stage.state)
        (old.notice, new.notice) = (nil, nil)
        switch overlay {
        case .token: (old.token, new.token) = (nil, nil)
        case .editor:
            old.document?.editor = nil
            new.document?.editor = nil
            // Names to complete are fetched while the text is written.
            old.document?.people = People()
            new.document?.people = People()
        case .picker: (old.picker, new.picker) = (nil, nil)
        case .help where before.help?.isTyping == true: (old.help, new.help) = (nil, nil)
        case .prompt:
            // The filter is the only prompt that takes effect while it is typed.
            if case .filter = before.prompt?.purpose { return }
            (old.prompt, new.prompt) = (nil, nil)
        default:
            guard case .click = key else { return }
        }
        // A taller overlay leaves less room for the list, whose cursor stays in sight.
        if let top = new.document?.list.top { old.document?.list.top = top }
        old.document?.refreshThrottle = RefreshThrottle()
        new.document?.refreshThrottle = RefreshThrottle()
        (old.departure, new.departure) = (nil, nil)
        (old.refused, old.refusedBefore) = (new.refused, new.refusedBefore)
        old.now = new.now
        old.messages = MessageLog()
        new.messages = MessageLog()
        guard old != new else {
            let others = effects.filter { $0 != .loadPeople || overlay != .editor }
            #expect(others.isEmpty, "seed \(seed): \(key.notation) in \(overlay) requested \(others)")
            return
        }
        Issue.record("seed \(seed): \(key.notation) in \(overlay) changed \(Self.differences(old, new))")
    }

    /// Returns the paths of the properties that differ.
    private static func differences(_ old: Any, _ new: Any, _ path: String = "") -> [String] {
        guard "\(old)" != "\(new)" else { return [] }
        let (ones, others) = (Mirror(reflecting: old), Mirror(reflecting: new))
        guard !ones.children.isEmpty, ones.children.count == others.children.count,
            ones.displayStyle == .struct || ones.displayStyle == .optional
        else { return ["\(path): \(old) → \(new)"] }
        return zip(ones.children, others.children).flatMap { one, other in
            differences(one.value, other.value, path + "." + (one.label ?? ""))
        }
    }

    /// The token is in no frame, request or draft, and neither is a text that was typed into the card.
    private func expectNoTrace(_ stage: Stage, _ seed: UInt64) throws {
        let part = Self.token.dropFirst(24).prefix(12)
        let screen = stage.screen
        try #require(!screen.contains(part), "seed \(seed): the token is on the screen")
        let isSaved = stage.services.records.contains { $0.content.text.contains("mega") }
        if !isSaved { #expect(!screen.contains("Ωmega"), "seed \(seed): the draft is on the screen") }
        if let last = stage.asked.last {
            switch last {
            case .saveDraft, .remember, .perform, .editExternally, .readTokenFile, .completePath:
                #expect(!"\(last)".contains(part), "seed \(seed): the token is in \(last)")
            default: break
            }
        }
    }

    private static func script(using random: inout SeededRandom) throws -> [Key] {
        let pieces: [String] = [
            "jjk", "<tab>", "T", "<esc>", "<enter>", "a", "e", "r", "d", "y", "/", ":", ":out<tab><enter>", "O", "?",
            "<C-p>", "f", "ne<enter>", "<tab>vee", "H", "u", "q", "m", "s", "@", "@/tmp/x<enter>", "<C-u>",
            "<click:3,9>",
            "<wheeldown:5,5>", "?/wo", "M", "'", "Ma'a", "gv", "gr", "ga", "gm", ".", "5", "g", "x", "c", "<C-x>", "t",
            "S", "]",
        ]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Array(token).map { .character($0) }
        case 1: return [.paste(token)]
        case 2: return [.paste(draft)]
        case 3: return Array(draft).map { .character($0) }
        case 4:
            let cut = token.index(token.startIndex, offsetBy: Int.random(in: 1..<60, using: &random))
            return [.paste(String(token[..<cut])), .paste(String(token[cut...]))]
        default: return try Key.sequence(random.pick(pieces)) + Key.sequence(random.pick(pieces))
        }
    }

    private static func message(using random: inout SeededRandom) -> Message {
        let need: TokenNeed = random.pick([.noneYet, .expired, .revoked, .refused("no"), .forgotten])
        let note = { (text: String) in Content.note(onPage: 0, at: Point(x: 0, y: 0), text: text) }
        let theirs = Record(id: "h1", content: note("theirs"), createdBy: "ana")
        return random.pick([
            .status(SyncStatus(connection: .needsToken(need), grant: .hotos())), .status(.live()),
            .status(SyncStatus(connection: .lost("gone"), unsent: 2)), .tokenRefused("it is revoked"),
            .tokenRead(TokenText("eyJ.from.file")), .tokenAccepted, .pathsFound("/tmp/x", ["/tmp/xa", "/tmp/xb"]),
            .batchLoaded([BatchRecord(theirs)]), .facets(ListFacets(authors: [.init("ana", 3)])),
            .externallyEdited("text from the editor"), .recordsChanged(["h1"], author: "ana", byOthers: ["h1"]),
            .record("h1", theirs), .editFailed(step: 1, "the disk is full"), .undone(step: 1), .openFailed("no"),
            .opened(OpenedLayer(reference: .hotos, status: .live(), hasPDF: true)), .notice("something happened"),
            .pictureFailed("no"), .pictureReady(PictureView()), .outbox([]), .library([]), .tick(.noon + 5_000),
        ])
    }
}
