import ArgumentParser
import EngineSupport
import Foundation
import Glibc

@main
struct Corpus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Takes every PDF of a folder through a real server, and reads the result with qpdf and poppler.",
        discussion: """
            Each file is uploaded and listed, one record of each kind is edited, and the annotated PDF is exported and \
            read back. Everything that was not edited must be as before: the objects of all annotations, and each pixel \
            outside the edited ones. Results are appended to results.ndjson in the output folder; files that are in it \
            are not examined again, so a run can be interrupted.
            """)

    @Argument(help: "The folder with PDFs; its subfolders are searched too.") var folder: String

    @Option(help: "The folder for results.") var output = ".build/corpus"

    @Option(help: ArgumentHelp("The program to run; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Option(help: "The number of pages of each file whose pixels are compared.") var pages = 10

    @Flag(help: "Examine files that have results, too.") var again = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let program = postilla ?? here + "/postilla"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw CorpusProblem("no program at \(program): build it, or specify it with --postilla")
        }
        let files = try Self.files(in: folder)
        guard !files.isEmpty else { throw CorpusProblem("no PDF in \(folder)") }
        let results = try ResultFile(folder: output, forgets: again)
        let work = FileManager.default.temporaryDirectory.appendingPathComponent("corpus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: work) }
        let server = try ServerProcess(
            postilla: program, folder: work.appendingPathComponent("server"),
            options: ["--limit", "requests-per-second=0"])
        defer { server.stop() }
        for file in files where !results.has(file) {
            let examination = Examination(file: file, server: server, folder: work, pages: pages)
            let result = await examination.run()
            try results.add(result)
            if !result.disagreements.isEmpty {
                print(file)
                for sentence in result.disagreements { print("  \(sentence)") }
            }
        }
        let all = results.results(of: files)
        print(AgreementTable(all).text)
        if all.contains(where: { !$0.disagreements.isEmpty }) { throw ExitCode(1) }
    }

    /// Returns the paths of all PDFs, by name or by header, sorted.
    static func files(in folder: String) throws -> [String] {
        guard let names = FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) else {
            throw CorpusProblem("cannot read \(folder)")
        }
        return names.filter { $0.lowercased().hasSuffix(".pdf") }.map { folder + "/" + $0 }.sorted()
    }
}

/// A failure, in one sentence.
struct CorpusProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
