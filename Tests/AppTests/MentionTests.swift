import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Naming people in comments, and what names the user. The user is mia.
@Suite("Mentions") struct MentionTests {
    static func services() -> FakeServices {
        let services = ThreadTests.services()
        services.people = [
            RecordCreator(userID: "ana", name: "Ana Lopes"), RecordCreator(userID: "mia", name: "Mia"),
            RecordCreator(userID: "ben", name: "Ben"), RecordCreator(userID: "ben2", name: "Ben"),
            RecordCreator(userID: "cy", name: nil), RecordCreator(userID: "dot", name: "Dot\u{202e}\n D."),
            RecordCreator(userID: "zoe", name: " \u{200b}"),
        ]
        return services
    }

    private func said(_ stage: Stage) -> CommentText? {
        stage.asked.reversed().lazy.compactMap { effect -> CommentText? in
            guard case .perform(let step) = effect, case .create(let content)? = step.edits.first else { return nil }
            return content.commentText
        }.first
    }

    @Test func peopleHaveNamesThatCanBeTypedAndToldApart() {
        let people = People(Self.services().people, except: "mia")
        #expect(
            people.mentions.map(\.words)
                == ["@Ana Lopes", "@Ben (ben)", "@Ben (ben2)", "@cy", "@Dot D.", "@zoe"])
        #expect(people.beginning(with: "b").map(\.userID) == ["ben", "ben2"])
        #expect(people.beginning(with: "lop").map(\.userID) == ["ana"])
        #expect(people.beginning(with: "DO").map(\.userID) == ["dot"])
        #expect(people.beginning(with: "mia").isEmpty)
        #expect(people.beginning(with: "").count == 6)
    }

    @Test(arguments: ["\u{E9}l", "e\u{301}l"])
    func aNameIsFoundInAnySpelling(typed: String) {
        let creators = ["\u{C9}lodie", "E\u{301}lise", "Ella"].map { RecordCreator(userID: $0 + "-id", name: $0) }
        #expect(People(creators, except: nil).beginning(with: typed).count == 2)
    }

    @Test func tabCompletesTheNameAfterTheSign() throws {
        let stage = Stage(Self.services())
        try stage.press("r")
        #expect(!stage.asked.contains(.loadPeople))
        try stage.press("Thanks<space>@an<tab>,<space>yes<enter>")
        #expect(stage.asked.count { $0 == .loadPeople } == 1)
        let mention = Mention(userID: "ana", words: "@Ana Lopes")
        #expect(said(stage)?.mentions == [mention])
        #expect(said(stage)?.words == "Thanks @Ana Lopes, yes")
        #expect(stage.foot.contains("Added reply, mentions @Ana Lopes; u"))
    }

    @Test func tabGoesOnToTheNextNameAndTypingEndsIt() throws {
        let stage = Stage(Self.services())
        try stage.press("r@b<tab>")
        #expect(stage.state.document?.editor?.input.text == "@Ben (ben)")
        #expect(stage.statusLine == " @Ben (ben)  @Ben (ben2)")
        try stage.press("<tab>")
        #expect(stage.state.document?.editor?.input.text == "@Ben (ben2)")
        try stage.press("<tab><S-tab>")
        #expect(stage.state.document?.editor?.input.text == "@Ben (ben2)")
        try stage.press("!")
        #expect(stage.state.document?.editor?.completion == nil)
        try stage.press("<enter>")
        #expect(said(stage)?.mentions.map(\.userID) == ["ben2"])
    }

    @Test func tabSaysWhyNothingIsCompleted() throws {
        let stage = Stage(Self.services())
        try stage.press("r<tab>")
        #expect(stage.foot.contains("Type @ and the beginning of a name, then press Tab"))
        try stage.press("x@an<tab>")
        #expect(stage.foot.contains("Type @"))
        try stage.press("<C-u>@qq<tab>")
        #expect(stage.foot.contains("Nobody here has a name that begins like this"))
        #expect(stage.state.document?.editor?.input.text == "@qq")
        try stage.press("<C-u><esc>a@an<tab>")
        #expect(stage.foot.contains("Only comments mention people"))
        #expect(stage.state.document?.editor?.input.text == "@an")
    }

    /// A draft, or a text from another editor, has no markup.
    @Test func aNameTypedInFullIsAMention() throws {
        let stage = Stage(Self.services())
        try stage.press("r@Ana<space>Lopes<esc>")
        try stage.press("r<enter>")
        #expect(said(stage)?.mentions.map(\.userID) == ["ana"])
        try stage.press("r<C-x>")
        stage.send(.externallyEdited("see @cy\n"))
        try stage.press("<enter>")
        #expect(said(stage)?.mentions.map(\.userID) == ["cy"])
        try stage.press("r@Ana<enter>")
        #expect(said(stage) == .plain("@Ana"))
    }

    private static func withMentions() -> FakeServices {
        let services = services()
        let root = services.records[0]
        let text = #"<p>Ask <span data-user-id="ana">@ana</span> or <span data-user-id="mia">@Mia B.</span> today</p>"#
        let content = Content.comment(.xhtml(text), under: "h1", root.content).changing { $0["creatorName"] = "ben" }
        services.records.append(Record(id: "c3", content: content, createdBy: "ben"))
        return services
    }

    @Test func namesHaveTheColoursOfTheirPeople() throws {
        let stage = Stage(Self.withMentions(), rows: 60, columns: 80)
        func check(_ what: String) throws {
            let row = try #require(stage.lines.firstIndex { $0.contains("Ask @ana or @Mia B. today") }, "\(what)")
            let line = stage.lines[row]
            func style(_ text: String, _ offset: Int = 0) throws -> Style {
                let column = try #require(line.ranges(of: text).first).lowerBound
                return stage.canvas[row, line.distance(from: line.startIndex, to: column) + offset].style
            }
            let colors = stage.state.markColors
            #expect(try style("@ana").foreground == colors.person("ana"), "\(what)")
            #expect(try style("@ana", 3).foreground == colors.person("ana"), "\(what)")
            #expect(try style("@Mia B.", 4).foreground == colors.person("me"), "\(what)")
            #expect(try style("@Mia B.").attributes.contains(.bold), "\(what)")
            #expect(try style("Ask").foreground != colors.person("ana"), "\(what)")
            #expect(try style("or").foreground != colors.person("ana"), "\(what)")
            #expect(try style("today").foreground != colors.person("me"), "\(what)")
        }
        try check("below the list")
        try stage.press("<enter>")
        try check("in the reader")
    }

    @Test func aNameThatIsWrappedStaysColoured() {
        let text = CommentText.xhtml(#"<p>Ask <span data-user-id="a">@Ana Lopes</span> now</p>"#)
        let colors = MarkColors(depth: .many, ground: .dark)
        var style = MentionStyle(text, me: nil, colors)
        var found: [[Range<Int>]] = []
        for line in CleanText(cleaning: text.words).wrapped(to: 9) { found.append(style.next(line).map(\.columns)) }
        #expect(CleanText(cleaning: text.words).wrapped(to: 9).map(\.string) == ["Ask @Ana", "Lopes now"])
        #expect(found == [[4..<8], [0..<5]])
    }

    @Test func editingKeepsTheMarkup() throws {
        let stage = Stage(Self.withMentions())
        try stage.press("<tab>G")
        // Somebody else's comment: the fake allows everything.
        try stage.press("e<home>Please<space><enter>")
        let edits = stage.asked.flatMap { effect -> [Edit] in
            if case .perform(let step) = effect { step.edits } else { [] }
        }
        guard case .update("c3", let content)? = edits.last else {
            Issue.record("no edit: \(edits)")
            return
        }
        #expect(content.mentions.map(\.userID) == ["ana", "mia"])
        #expect(content.commentText?.words == "Please Ask @ana or @Mia B. today")
    }

    @Test func whatNamesTheUserIsListed() throws {
        let stage = Stage(Self.withMentions())
        try stage.press("g@")
        #expect(stage.state.document?.list.window?.rows.map(\.id) == ["h1"])
        #expect(stage.screen.contains("filter: is:mention"))
        try stage.press("g@")
        #expect(stage.state.document?.list.total == 4)
        try stage.press(":mentions<enter>")
        #expect(stage.state.document?.list.total == 1)
        try stage.press("<esc>:filter<space>is:me<tab><enter>")
        #expect(stage.state.document?.list.filter == "is:mention")
    }

    @Test func aTokenWithoutAUserIsNotNamed() throws {
        let services = Self.withMentions()
        var reference = LayerReference.hotos
        reference.userID = nil
        let stage = Stage(services, begin: .layer(reference))
        try stage.press("g@")
        #expect(stage.foot.contains("Nothing can mention you: this token names no user"))
        #expect(stage.state.document?.list.filter == "")
    }

    @Test func aNewMentionIsToldAndCounted() throws {
        let services = Self.withMentions()
        let stage = Stage(services)
        services.mentions = 2
        stage.send(.recordsChanged(["c3"], author: "ben", byOthers: ["c3"], mentions: ["c3"]))
        #expect(stage.asked.contains(.runHook(.mention(["c3"], author: "ben"))))
        #expect(stage.asked.contains(.runHook(.new(["c3"], author: "ben"))))
        #expect(stage.foot.contains("ben mentioned you; g@ to list mentions of you"))
        #expect(
            stage.asked.contains {
                if case .notifyDesktop(let text) = $0 { text.hasSuffix(": ben mentioned you") } else { false }
            })
        #expect(stage.screen.contains("2 mentions"))
    }
}
