import Foundation
import TestSupport
import TestThreads
import Testing

/// What people outside the package read and write: the documentation articles, and a program that uses the library.
@Suite(.onProgramThreads, .timeLimit(.minutes(15))) struct OutsideTests {
    private static let catalog = "Sources/Instant/Instant.docc"

    @Test(.enabled(if: Compiler() != nil)) func theProgramOfTheGuidesCompiles() throws {
        let compiler = try #require(Compiler())
        let files = Repository.files(below: "Tests/Consumer/Sources", suffix: ".swift")
        #expect(files.count > 3)
        #expect(try compiler.complaints(about: files.map { Repository.root + "/" + $0 }) == "")
        for file in files {
            let imports = try Repository.text(file).split(separator: "\n").filter { $0.contains("import ") }
            #expect(imports == ["import Foundation", "import Instant"], "\(file)")
        }
    }

    /// A program's other modules, or its own types, have names like these.
    @Test(.enabled(if: Compiler() != nil)) func theLibraryTakesNoNameThatOthersHave() throws {
        let compiler = try #require(Compiler())
        let folder = try TemporaryFolder()
        let names = [
            "Record", "Subject", "Point", "Rect", "Permission", "JSON", "Decision", "Claims", "Denial", "ViewScope",
            "Layer", "Synchronizer", "EditReceipt", "Environment", "PageRun",
        ]
        let lines = names.map { "let \($0.lowercased())s: \($0)? = nil" }
        let file = folder.path + "/names.swift"
        try (["import Instant"] + lines).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let complaints = try compiler.complaints(about: file)
        for name in names { #expect(complaints.contains("cannot find type '\(name)' in scope"), "\(name)") }
        // Foundation's own.
        let other = folder.path + "/operation.swift"
        try "import Foundation\nimport Instant\nlet operation: Operation? = nil\noperation?.cancel()"
            .write(toFile: other, atomically: true, encoding: .utf8)
        #expect(try compiler.complaints(about: other) == "")
    }

    @Test(.enabled(if: Compiler() != nil)) func everyCallThrowsOneError() throws {
        let compiler = try #require(Compiler())
        let folder = try TemporaryFolder()
        let calls = [
            "_ = try InstantClient(serverURL: url)", "_ = try client.documentDescriptor(forJWT: jwt)",
            "_ = try client.listCacheEntries()", "try client.removeLocalStorage()",
            "try descriptor.download(usingJWT: jwt)", "try await descriptor.downloadAndWait(usingJWT: jwt)",
            "try await descriptor.reauthenticateAndWait(withJWT: jwt)", "try await descriptor.syncAndWait()",
            "_ = try await descriptor.checkIntegrity()", "_ = try descriptor.unsentEdits()",
            "try descriptor.removeLocalStorage()", "try document.add(try Content(jwt))",
            "_ = try Content(jwt).replacingText(with: jwt)", "try document.undo()",
            "_ = try document.annotations(onPage: 0)", "_ = try document.addAttachment(Data())",
            "_ = try await document.loadAttachment(attachment)", "try descriptor.overrideDefaultGroup(with: nil)",
            "try descriptor.announce(OwnPresence())",
        ]
        let blocks = calls.map { "do { \($0) } catch { let _: InstantError.Kind = error.kind }" }
        let file = folder.path + "/errors.swift"
        try """
        import Foundation
        import Instant
        func calls(
            client: InstantClient, descriptor: InstantDocumentDescriptor, document: InstantDocument, jwt: String,
            url: URL, attachment: AttachmentID
        ) async {
        \(blocks.joined(separator: "\n"))
        }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try compiler.complaints(about: file) == "")
    }

    /// The library is for programs of any kind: none of its messages names an option of a command line.
    @Test func noMessageSpeaksOfOptions() throws {
        for folder in ["Instant", "InstantCore", "Authorization", "Annotations"] {
            for file in Repository.files(below: "Sources/" + folder, suffix: ".swift") {
                for line in try Repository.text(file).split(separator: "\n")
                where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    #expect(!line.contains(#/"[^"]*(^|\s)--[a-z]/#), "\(file): \(line)")
                }
            }
        }
    }

    /// The fuzzer's package has only some files of these modules; it must include every file that those need.
    @Test(.enabled(if: Compiler() != nil), arguments: ["DocumentEngine", "postilla"])
    func theFilesOfTheFuzzerAreWhole(module: String) throws {
        let compiler = try #require(Compiler())
        let files = Repository.files(below: "Tests/Fuzz/Sources/\(module)", suffix: ".swift")
        #expect(!files.isEmpty)
        // SwiftPM names a package after its folder.
        let folder = URL(fileURLWithPath: Repository.root).lastPathComponent.lowercased()
        let package = folder.replacing("-", with: "_")
        let complaints = try compiler.complaints(
            about: files.map { Repository.root + "/" + $0 },
            arguments: [
                "-parse-as-library", "-module-name", module, "-package-name", package, "-enable-upcoming-feature",
                "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault",
            ])
        #expect(complaints == "")
    }

    @Test(.enabled(if: Compiler() != nil)) func theCodeOfEveryArticleCompiles() throws {
        let compiler = try #require(Compiler())
        let folder = try TemporaryFolder()
        let articles = Repository.files(below: Self.catalog, suffix: ".md")
        #expect(articles.count > 8)
        var blocks: [String] = []
        for article in articles { blocks += try Self.blocks(of: article) }
        #expect(blocks.count > 20)
        let file = folder.path + "/articles.swift"
        let functions = blocks.enumerated().map { number, block in
            """
            func block\(number)(
                client: InstantClient, descriptor: InstantDocumentDescriptor, document: InstantDocument, jwt: String,
                identifier: String
            ) async throws {
            \(block)
            }
            """
        }
        try (Self.surroundings + functions.joined(separator: "\n")).write(
            toFile: file, atomically: true, encoding: .utf8)
        let complaints = try compiler.complaints(about: file)
        #expect(complaints == "")
    }

    @Test func everyArticleIsOnTheFirstPage() throws {
        let first = try Repository.text(Self.catalog + "/Instant.md")
        for article in Repository.files(below: Self.catalog, suffix: ".md") where !article.hasSuffix("/Instant.md") {
            let name = article.split(separator: "/").last?.dropLast(3) ?? ""
            #expect(first.contains("<doc:\(name)>"))
        }
    }

    /// The declarations that an article's code assumes.
    private static let surroundings = """
        import Foundation
        import Instant

        func tokenFromYourBackend() async throws -> String { "" }
        func keepSafely(_ jwt: String) {}
        func askForAName() -> String { "" }
        func saveForLater(_ content: Content?) {}

        """

    /// The fenced Swift of an article without its imports; diagnostics name the article and the line.
    private static func blocks(of article: String) throws -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for (number, line) in try Repository.text(article).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            switch (line, block) {
            case ("```swift", nil): block = [Substring("#sourceLocation(file: \"\(article)\", line: \(number + 2))")]
            case ("```", let lines?):
                blocks.append((lines + ["#sourceLocation()"]).joined(separator: "\n"))
                block = nil
            case (_, let lines?): block = lines + [line.hasPrefix("import ") ? "" : line]
            case (_, nil): break
            }
        }
        return blocks
    }
}
