import Annotations
import Children
import Foundation
import TestSupport
import Testing

@testable import PDFPages

@Suite("An unusable file gives one clear error", .inTurns)
struct HostileFileTests {
    private let good = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(hi)>>"]).bytes

    private func error(for file: String, with tools: PDFTools = PDFTools()) async -> PDFError? {
        await #expect(throws: PDFError.self) { try await tools.text(of: file, page: 0) }
    }

    @Test func plainCases() async throws {
        let folder = try Folder()
        #expect(await error(for: folder.path + "/none.pdf") == .unreadable)
        #expect(await error(for: folder.path) == .unreadable)
        #expect(await error(for: "") == .unreadable)
        #expect(await error(for: "a\0b") == .unreadable)
        #expect(await error(for: try folder.write([])) == .empty)
        #expect(await error(for: try folder.write(Array("Dear Sir,".utf8))) == .notPDF)
        #expect(await error(for: try folder.write(Array("%PDF-1.7\n".utf8))) == .damaged)
    }

    /// Without the place of its catalogue, qpdf gives up; other readers look for the objects.
    @Test func aFileIsReadByItsObjects() async throws {
        let folder = try Folder()
        let text = "<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(hi)>>"
        let file = "<</Type/Annot/Subtype/FileAttachment/Rect[1 1 9 9]/FS<</F(a)/EF<</F 8 0 R>>>>>>"
        let pdf = SmallPDF(annotations: [text, file, "<</Length 4>>stream\nfile\nendstream"])
        let good = String(decoding: pdf.bytes, as: UTF8.self)
        let broken = good.replacing("0000000009 00000 n ", with: "0000000000 65535 f ")
        #expect(broken != good)
        // A later revision of an object counts.
        let path = try folder.write(
            Array(
                broken.replacing("xref\n0", with: "6 0 obj\n\(text.replacing("hi", with: "ho"))\nendobj\nxref\n0").utf8)
        )
        let tools = PDFTools()
        let records = try await tools.annotations(of: path).records
        #expect(records.map(\.id) == ["6", "7"] && records.map(\.content["text"]) == ["ho", nil])
        #expect(try await tools.attachedFile(of: "7", in: path) == Array("file".utf8))
        let (target, notes) = (try folder.write([], as: "target.pdf"), try folder.write([], as: "notes.json"))
        try await tools.annotate(path, into: target, notes: notes) {
            try $0.add(Record(id: "6", content: records[0].content.changingText(to: "new")))
        }
        #expect(try await tools.annotations(of: target).records.map(\.content["text"]) == ["new"])
        try await tools.strip(path, into: target, notes: folder.write([], as: "notes.json"))
        #expect(try await tools.annotations(of: target).records.isEmpty)
        #expect(try await tools.picture(of: path, page: 0, width: 60, height: 80, showing: []).width == 60)
    }

    @Test func noFileIsRebuiltWithoutACatalogue() {
        for text in ["", "1 0 obj", "obj", " 0 obj /Catalog", "99999999999 0 obj/Catalog", "1 0 obj/Catalog/Encrypt"] {
            #expect(RebuiltFile.end(of: Array(text.utf8)) == nil, "\(text)")
        }
        let end = RebuiltFile.end(of: Array("1 0 obj/Catalog endobj x2 7 obj endobj/Root 5 0 R".utf8))
        let wanted = """

            xref
            0 1
            0000000000 65535 f 
            1 1
            0000000000 00000 n 
            2 1
            0000000024 00007 n 
            trailer<</Size 3/Root 1 0 R>>
            startxref
            50
            %%EOF

            """
        #expect(end.map { String(decoding: $0, as: UTF8.self) } == wanted)
    }

    /// File size in MB; limits on seconds, processor seconds and MB of memory.
    @Test(arguments: [(0, 30, 6, 512), (1, 32, 8, 528), (40, 90, 60, 1152), (96, 90, 60, 2048), (2048, 90, 60, 2048)])
    func limitsGrowWithTheFile(_ size: Int, _ seconds: Int, _ processor: Int, _ memory: Int) {
        let limits = PDFTools().sized(for: Int64(size) << 20).limits
        #expect(limits.time == .seconds(seconds))
        #expect((limits.processorSeconds, limits.memory >> 20) == (processor, memory))
        #expect(PDFTools(limits: ToolLimits(time: .seconds(3))).sized(for: 1 << 40).limits.time == .seconds(3))
    }

    /// A list may name one annotation a million times.
    @Test func aRepeatedAnnotationCostsLittle() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: [
            "<</Subtype/Text/Rect[1 1 9 9]/Contents(\(String(repeating: "x", count: 9000)))>>"
        ])
        pdf.pages[0].entries = "/MediaBox[0 0 99 99]/Annots[\(String(repeating: "6 0 R ", count: 20_000))]"
        let file = try folder.write(pdf.bytes)
        let tools = PDFTools(limits: ToolLimits(time: .seconds(40)))
        let found = try await tools.annotations(of: file)
        #expect(found.records.count == 1)
        let target = try folder.write([], as: "target.pdf")
        try await tools.strip(file, into: target, notes: folder.write([], as: "notes.json"))
        #expect(try await tools.annotations(of: target).records.isEmpty)
    }

    /// Small annotations may share one large text.
    @Test func sharedTextIsReadInProportionToTheFile() async throws {
        let folder = try Folder()
        let text = String(repeating: "x", count: 100_000)
        let shared = (0..<100).map { _ in "<</Subtype/Text/Rect[1 1 9 9]/Contents 106 0 R>>" }
        let file = try folder.write(SmallPDF(annotations: shared + ["(\(text))"]).bytes)
        let found = try await PDFTools().annotations(of: file)
        #expect((40..<60).contains(found.records.count), "\(found.records.count)")
        #expect(found.warnings.last?.text == "the annotations repeat too much data; the rest is not read")
    }

    @Test func parsingEndsWithItsTime() async throws {
        let folder = try Folder()
        let shared = (0..<500).map { _ in "<</Subtype/Text/Rect[1 1 9 9]/Contents 506 0 R>>" }
        let file = try folder.write(
            SmallPDF(annotations: shared + ["(\(String(repeating: "x", count: 70_000)))"]).bytes)
        let path = try PDFTools.argument(for: file)
        let outcome = try await PDFTools().run(
            .qpdf, ["--json=2", "--json-key=qpdf", path], into: ObjectDump(time: .zero))
        for number in 6..<506 { _ = PDFDictionary(.reference(ObjectID(number: number)), in: outcome.sink)?["Contents"] }
        #expect(throws: PDFError.tooSlow(.zero)) { try outcome.sink.checkTime() }
        #expect(outcome.sink.object(ObjectID(number: 1)) == .null)
    }

    @Test func aPipeIsNotWaitedFor() async throws {
        let folder = try Folder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let tools = PDFTools(limits: ToolLimits(time: .milliseconds(300)))
        #expect(await error(for: path, with: tools) != nil)
    }

    @Test func aPasswordIsAskedFor() async throws {
        let folder = try Folder()
        let plain = try folder.write(good, as: "plain.pdf")
        for (password, name) in [("secret", "locked.pdf"), ("", "open.pdf")] {
            let made = folder.path + "/" + name
            let qpdf = try ChildProcess.run(
                URL(fileURLWithPath: "/usr/bin/qpdf"),
                arguments: ["--encrypt", password, "owner", "256", "--", plain, made])
            qpdf.waitUntilExit()
            try #require(qpdf.terminationStatus == 0)
        }
        #expect(await error(for: folder.path + "/locked.pdf") == .encrypted)
        let info = try await PDFTools().info(of: folder.path + "/open.pdf")
        #expect(info.isEncrypted)
        #expect(try await PDFTools().text(of: folder.path + "/open.pdf", page: 0).words.count == 1)
    }

    @Test func aMissingToolIsNamedWithItsPackage() async throws {
        let folder = try Folder()
        let file = try folder.write(good)
        let tools = PDFTools(directories: [folder.path])
        #expect(await error(for: file, with: tools) == .toolMissing(name: "prlimit", package: "util-linux"))
        #expect(
            "\(PDFError.toolMissing(name: "pdfinfo", package: "poppler-utils"))"
                == "The program pdfinfo is missing. Install the package poppler-utils.")
    }

    @Test func tooMuchOutputEndsTheRun() async throws {
        let folder = try Folder()
        let file = try folder.write(good)
        let tools = PDFTools(limits: ToolLimits(time: .seconds(600), output: 100))
        #expect(await error(for: file, with: tools) == .tooMuchOutput(bytes: 100))
    }

    @Test func aToolThatHangsIsEnded() async throws {
        let folder = try Folder()
        try folder.tool("pdfinfo", script: "#!/bin/sh\ntrap '' TERM\nwhile :; do read x </dev/zero; done\n")
        let file = try folder.write(good)
        let tools = PDFTools(
            limits: ToolLimits(time: .milliseconds(200)), directories: [folder.path] + PDFTools.usualDirectories)
        #expect(await error(for: file, with: tools) == .tooSlow(.milliseconds(200)))
    }

    /// The time belongs to the tool: what this process does with the output afterwards does not count.
    @Test func aToolThatEndedInTimeIsBelievedWhenItsOutputIsReadLate() async throws {
        struct LateReader: OutputSink {
            var count = 0
            mutating func receive(_ bytes: [UInt8]) async throws {
                count += bytes.count
                let timeIsUp = ContinuousClock.now + .milliseconds(2500)
                while ContinuousClock.now < timeIsUp { await Task.yield() }
            }
        }
        let folder = try Folder()
        try folder.tool("pdfinfo", script: "#!/bin/sh\necho ready\n")
        let tools = PDFTools(
            limits: ToolLimits(time: .seconds(2)), directories: [folder.path] + PDFTools.usualDirectories)
        let result = try await tools.run(.pdfinfo, [], into: LateReader())
        #expect(result.exitCode == 0)
        #expect(result.sink.count == 6)
    }

    @Test func aToolThatComputesForEverIsEnded() async throws {
        let folder = try Folder()
        try folder.tool("pdfinfo", script: "#!/bin/sh\nwhile :; do :; done\n")
        let file = try folder.write(good)
        let tools = PDFTools(
            limits: ToolLimits(processorSeconds: 1), directories: [folder.path] + PDFTools.usualDirectories)
        #expect(await error(for: file, with: tools) == .tooSlow(.seconds(1)))
    }

    @Test func aToolThatPrintsNothingAndIsContentIsNotBelieved() async throws {
        let folder = try Folder()
        try folder.tool("pdftotext", script: "#!/bin/sh\nexit 0\n")
        let file = try folder.write(good)
        let tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
        #expect(await error(for: file, with: tools) == .damaged)
    }

    @Test func tooLittleMemoryIsAnError() async throws {
        let folder = try Folder()
        let file = try folder.write(good)
        #expect(await error(for: file, with: PDFTools(limits: ToolLimits(memory: 4 << 20))) == .damaged)
    }

    /// `/dev/full` accepts nothing.
    @Test func aFullDiskIsNoDamagedFile() async throws {
        let folder = try Folder()
        let (file, notes) = (try folder.write(good), try folder.write([], as: "notes.json"))
        let tools = PDFTools()
        await #expect(throws: PDFError.cannotWrite(ENOSPC)) {
            try await tools.strip(file, into: "/dev/full", notes: notes)
        }
        await #expect(throws: PDFError.cannotWrite(ENOSPC)) {
            try await tools.strip(file, into: folder.write([], as: "target.pdf"), notes: "/dev/full")
        }
        await #expect(throws: PDFError.cannotWrite(ENOSPC)) {
            try await tools.annotate(file, into: "/dev/full", notes: notes) { _ in }
        }
    }

    @Test func nothingOfOursReachesTheTool() async throws {
        let folder = try Folder()
        let file = try folder.write(good)
        try folder.tool(
            "pdfinfo",
            script: """
                #!/bin/sh
                /usr/bin/env | /usr/bin/grep -v -e '^PATH=' -e '^LC_ALL=' -e '^PWD=' -e '^_=' -e '^SHLVL=' && exit 1
                echo 'Pages: 1'
                """)
        let tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
        #expect(try await tools.info(of: file).pages == [.usual])
    }

    @Test func noOpenFileOfOursReachesTheTool() async throws {
        let folder = try Folder()
        let file = try folder.write(good)
        let ours = fcntl(0, F_DUPFD, 500)
        defer { close(ours) }
        try folder.tool(
            "pdfinfo",
            script: """
                #!/bin/sh
                test -e /proc/$$/fd/\(ours) && exit 1
                echo 'Pages: 1'
                """)
        let tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
        #expect(try await tools.info(of: file).pages == [.usual])
    }

    @Test func aCancelledTaskEndsItsChild() async throws {
        let folder = try Folder()
        try folder.tool("pdfinfo", script: "#!/bin/sh\nmkdir \(folder.path)/pid-$$\nexec sleep 1000\n")
        let file = try folder.write(good)
        let tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
        let reading = Task { try await tools.info(of: file) }
        var child: pid_t?
        let end = ContinuousClock.now + .seconds(240)
        while child == nil, ContinuousClock.now < end {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            child = names.first { $0.hasPrefix("pid-") }.flatMap { pid_t($0.dropFirst(4)) }
            await Task.yield()
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(kill(try #require(child), 0) == -1)
    }

    @Test func manyPagesAreRefused() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        pdf.pages = Array(repeating: ("/MediaBox[0 0 9 9]", ""), count: 5)
        let file = try folder.write(pdf.bytes)
        await #expect(throws: PDFError.tooManyPages(5, limit: 4)) {
            try await PDFTools(limits: ToolLimits(pages: 4)).info(of: file)
        }
    }

    @Test func aHundredThousandListsInListsAreReadOrRefused() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: [])
        let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        pdf.pages[0].entries = "/MediaBox[0 0 9 9]/Annots \(nested)"
        let file = try folder.write(pdf.bytes)
        do {
            #expect(try await PDFTools().annotations(of: file).records.isEmpty)
        } catch {
            #expect(error as? PDFError == .damaged)
        }
    }

    @Test func aPageCountThatIsALieIsRefused() async throws {
        let folder = try Folder()
        let text = String(decoding: good, as: UTF8.self).replacing("/Count 1", with: "/Count 999999999")
        #expect(await error(for: try folder.write(Array(text.utf8))) == .damaged)
    }

    @Test("Every error is a sentence that says what to do or what is wrong")
    func sentences() {
        let errors: [PDFError] = [
            .unreadable, .empty, .notPDF, .damaged, .encrypted, .tooSlow(.seconds(9)), .tooMuchOutput(bytes: 1 << 20),
            .tooManyPages(5, limit: 4), .noSuchPage(4, count: 2), .toolMissing(name: "qpdf", package: "qpdf"),
            .cannotWrite(28),
        ]
        for error in errors {
            #expect("\(error)".first?.isUppercase == true && "\(error)".hasSuffix("."), "\(error)")
            #expect("\(error)".utf8.count < 100)
        }
        #expect("\(PDFError.noSuchPage(4, count: 2))" == "No page 5: the PDF has 2.")
    }

    @Test("A file cut anywhere is read or refused", arguments: (0..<15).map { 60 * $0 })
    func cut(length: Int) async throws {
        let folder = try Folder()
        let file = try folder.write(Array(good.prefix(length)))
        do {
            _ = try await PDFTools().text(of: file, page: 0)
        } catch let error as PDFError {
            #expect([.empty, .notPDF, .damaged].contains(error))
        }
    }

    @Test("A file with changed bytes is read or refused", arguments: 0..<12)
    func flipped(seed: UInt64) async throws {
        var generator = SplitMix(seed: seed)
        let folder = try Folder()
        var bytes = good
        for _ in 0..<12 {
            bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let file = try folder.write(bytes)
        do {
            _ = try await PDFTools().text(of: file, page: 0)
        } catch is PDFError {
            // Refused without crashing this process, as required.
        }
    }
}
