import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// The output of the program without a screen.
@Suite struct PlainTests {
    @Test func whatIsOpenIsSaidFirst() {
        let stage = PlainStage(Sample.services())
        #expect(stage.said == ["hotos17, layer review, 3 pages, 4 annotations, 1 unread"])
        #expect(stage.prompt == "page 1, 3 marks> ")
        let reader = Sample.services()
        reader.opened.status = .live(.hotos([.readDocument]))
        #expect(
            PlainStage(reader).said == [
                "hotos17, layer review, 3 pages, 4 annotations, 1 unread, read-only: this token lacks \"write\""
            ])
    }

    @Test func itBeginsWhereThePersonWas() {
        let services = Sample.services()
        services.opened.reading = ReadingPlace(place: .init(page: 1, glyph: 0), row: "n1")
        let stage = PlainStage(services)
        #expect(stage.said == ["hotos17, layer review, 3 pages, 4 annotations, 1 unread, at page 2"])
        #expect(stage.prompt == "page 2, 1 mark> ")
    }

    @Test(arguments: [
        (
            "list",
            [
                "1 highlight on page 1 by ana: \"some of the challenges\" Which ones? (unread, 5m)",
                "2 highlight on page 1 by ben: \"accelerating rate of change\" (2h)",
                "3 underline on page 1 by me: \"can adapt\" (1d)",
                "4 note on page 2 by ana: Compare with the 2019 paper, section 4 (3d)",
            ]
        ),
        ("list unread", ["1 highlight on page 1 by ana: \"some of the challenges\" Which ones? (unread, 5m)"]),
        ("new", ["1 highlight on page 1 by ana: \"some of the challenges\" Which ones? (unread, 5m)"]),
        ("list by:carla", ["None."]), ("more", ["1 highlight on page 1"]),
        ("page 2", ["Page 2 of 3, 1 mark."]), ("next", ["Page 2 of 3, 1 mark."]), ("J", ["Page 2 of 3, 1 mark."]),
        ("previous", ["This is the first page", "Page 1 of 3, 3 marks."]),
        ("page 9", ["Usage: page N (1 to 3)"]), ("page 3", ["Page 3 of 3, 0 marks."]),
        ("find rate", ["In this paper we highlight some of the challenges"]),
        ("find nothing", ["Not on this page: nothing"]), ("find", ["Usage: find WORDS"]),
        ("status", ["hotos17 / review   p1/3   synced   token 12m   1 new"]),
        ("frobnicate", ["Unknown command: frobnicate"]), ("", []),
        ("show 7", ["Usage: show N, the number of an annotation in list, read or show"]),
        ("announce off", ["Changes by others are not announced."]),
        ("author Ana Maria", ["Author of new records: Ana Maria"]),
        ("outbox", ["Everything is sent."]), ("undo", ["Nothing to undo"]),
        ("open 2", ["Leave this layer first: library"]),
    ])
    func answers(line: String, answer: [String]) {
        let stage = PlainStage(Sample.services())
        let said = stage.type(line)
        #expect(said.count >= answer.count)
        for (said, wanted) in zip(said, answer) { #expect(said.hasPrefix(wanted)) }
        if line != "more" { #expect(said.count == answer.count) }
        #expect(stage.isReady)
    }

    @Test func aPageIsReadASentenceALineWithItsMarks() {
        let stage = PlainStage(Sample.services())
        #expect(
            stage.type("read") == [
                "This calls for a rethink of how we approach the instruction set.",
                "In this paper we highlight [start highlight 1 by ana] some of the challenges [end highlight 1] arising from an [start highlight 2 by ben] accelerating rate of change [end highlight 2] and discuss ways in which systems software [start underline 3 by me] can adapt [end underline 3].",
                "highlight 1 says: Which ones?", "The number of transistors doubles.",
            ])
        stage.type("next")
        #expect(stage.type("read").contains("note 4 by ana: Compare with the 2019 paper, section 4"))
        stage.type("page 3")
        #expect(stage.type("read") == ["Page 3 has no text. Marks by position:"])
    }

    /// The end of a page does not cut a word.
    @Test func aWordThatGoesOnOnTheNextPageIsReadWhole() {
        let services = Sample.services()
        services.records = []
        services.pages = [
            Sample.page(["This is the first sentence. What follows is hard to un-", "12"]),
            Sample.page(["derstand, even on two pages.", "13"]), Sample.page(["It ends as it began, un-"]),
        ]
        let stage = PlainStage(services)
        let first = stage.type("read")
        #expect(first.contains { $0.contains("hard to understand, [continues on page 2]") }, "\(first)")
        stage.type("page 3")
        #expect(stage.type("read") == ["It ends as it began, un..."])
    }

    @Test func oneIsShownWholeAndCountsAsRead() {
        let stage = PlainStage(Sample.services())
        stage.type("list")
        #expect(
            stage.type("show 1") == [
                "Highlight by ana, page 1, 2026-05-30 11:55", "\"some of the challenges\"", "Which ones?",
            ])
        #expect(stage.asked.contains(.markRead(["h1"])))
        #expect(stage.services.unread.isEmpty)
    }

    @Test func whatSaysNothingHasNoColonAndNoEmptyLine() {
        let services = Sample.services()
        services.records = [Sample.note("n1", page: 0, top: 90, text: "", by: "ana", minutes: 5)]
        let stage = PlainStage(services)
        #expect(stage.type("list") == ["1 note on page 1 by ana (5m)"])
        #expect(stage.type("read").contains("note 1 by ana"))
        #expect(stage.type("show 1") == ["Note by ana, page 1, 2026-05-30 11:55"])
    }

    @Test func aThreadIsShownWithWhoSaysWhat() {
        let stage = PlainStage(ThreadTests.services())
        stage.type("list")
        #expect(stage.type("show 1").suffix(2) == ["ben: The second one.", "mia: I agree."])
        #expect(stage.type("show 99") == ["Usage: show N, the number of an annotation in list, read or show"])
    }

    @Test func theColonOfTheScreenIsNotInTheWay() {
        let stage = PlainStage(Sample.services())
        #expect(stage.type(":page 2") == ["Page 2 of 3, 1 mark."])
        #expect(stage.type(":") == [])
    }

    @Test func numbersStayWithTheirAnnotations() {
        let services = Sample.services()
        let stage = PlainStage(services)
        stage.type("list")
        services.records.insert(
            Sample.note("n0", page: 0, top: 10, text: "Came first on the page", by: "ben", minutes: 0), at: 0)
        stage.send(.recordsChanged(["n0"], author: "ben"))
        #expect(stage.type("show 2").first?.hasPrefix("Highlight by ben, page 1") == true)
        #expect(stage.type("list").first?.hasPrefix("5 note on page 1 by ben: Came first") == true)
    }

    @Test func longListsComeInParts() {
        let services = Sample.services()
        services.records = (1...45).map {
            Sample.note("n\($0 + 100)", page: 0, top: Double($0), text: "Note \($0)", by: "ana", minutes: 1)
        }
        let stage = PlainStage(services)
        let first = stage.type("list")
        #expect(first.count == 21 && first.last == "25 more; type more")
        #expect(stage.type("more").first?.contains("Note 21") == true)
        #expect(stage.type("more").last?.contains("Note 45") == true)
        #expect(stage.type("more") == ["End of the list."])
    }

    // MARK: Others

    @Test func changesOfOthersAreToldBetweenCommandsAndSeldom() {
        let stage = PlainStage(Sample.services())
        stage.type("status")
        stage.send(.recordsChanged(["h1", "h2"], author: "ana"))
        #expect(stage.said.count == 1, "no notice interrupts a line being typed")
        #expect(stage.type("announce on").last == "2 changes by ana; type new")
        stage.send(.recordsChanged(["h1"], author: "ben"))
        stage.now = stage.now + 4000
        #expect(stage.type("undo").count == 1)
        stage.now = stage.now + 1000
        #expect(stage.type("undo").last == "1 change by ben; type new")
        stage.type("announce off")
        stage.send(.recordsChanged(["h1"], author: "ben"))
        stage.now = stage.now + 9000
        #expect(stage.type("undo").count == 1)
    }

    /// The text under marks comes from the PDF: search results must not depend on when it arrives.
    @Test func aListOfWordsWaitsForThePDF() {
        let services = Sample.services()
        services.opened.hasPDF = false
        let stage = PlainStage(services)
        stage.send(.download(TransferStatus(done: 0, total: 100)))
        #expect(!stage.type("list").isEmpty)
        #expect(stage.isReady, "the whole list does not need the PDF")
        #expect(stage.type("list compare").isEmpty)
        #expect(!stage.isReady)
        stage.send(.downloadFailed("it is too large"))
        #expect(stage.isReady)
        #expect(stage.said.contains { $0.contains("note on page 2") }, "\(stage.said)")
    }

    @Test func howFarAnUploadHasComeIsToldInQuarters() throws {
        let stage = PlainStage(Sample.services())
        let file = try #require(AttachmentID(String(repeating: "a", count: 64)))
        stage.type("next")
        for part in [Int64(10), 26, 30, 80, 99] {
            stage.send(.upload(UploadStatus(file: file, transfer: TransferStatus(done: part, total: 100))))
        }
        stage.send(.upload(nil))
        stage.send(.upload(UploadStatus(file: file, transfer: TransferStatus(done: 50, total: 100))))
        stage.type("next")
        #expect(
            stage.said.filter { $0.contains("of the file sent") } == [
                "25% of the file sent", "75% of the file sent", "50% of the file sent",
            ], "\(stage.said)")
    }

    @Test func howFarADownloadHasComeIsToldInQuarters() {
        let services = Sample.services()
        services.opened.hasPDF = false
        let stage = PlainStage(services)
        stage.send(.download(TransferStatus(done: 0, total: 100)))
        #expect(stage.said == ["hotos17, layer review, PDF downloading: 0 B of 100 B, 4 annotations, 1 unread"])
        stage.type("read")
        #expect(!stage.isReady, "there is nothing to read yet")
        for part in [Int64(10), 26, 30, 60, 99] {
            stage.send(.download(TransferStatus(done: part, total: 100)))
        }
        stage.send(services.pdfReady)
        #expect(
            stage.said.prefix(4) == [
                "25% of the PDF downloaded", "50% of the PDF downloaded", "75% of the PDF downloaded",
                "100% of the PDF downloaded",
            ])
        #expect(stage.said.contains("The number of transistors doubles."))
        #expect(stage.isReady)
    }

    @Test func theEndOfInputKeepsWhatIsBeingWritten() {
        let stage = PlainStage(Sample.services())
        stage.type("note")
        stage.type("half a thought")
        stage.end()
        #expect(stage.isDone)
        #expect(stage.asked.contains(.saveDraft(.note(page: 0), "half a thought")))
    }

    @Test func helpSaysEveryWord() {
        let said = PlainStage(Sample.services()).type("help")
        for word in PlainWord.allCases where !word.isForLibraryOnly {
            #expect(said.contains("\(word.rawValue): \(word.help)"))
        }
        let typed = TypedCommand.allCases.filter { PlainWord(rawValue: $0.rawValue) == nil }
        for command in typed where !command.isForFile {
            #expect(said.contains { $0.hasPrefix(command.rawValue + ": ") })
        }
    }
}
