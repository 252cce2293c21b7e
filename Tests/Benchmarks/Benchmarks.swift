import ArgumentParser
import EngineSupport
import Foundation
import TestSupport

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks", subcommands: [Measurement.self, Comparison.self, SyncChild.self],
        defaultSubcommand: Measurement.self)
}

/// The command that a person runs.
struct Measurement: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measures Postilla and other programs in turns, and prints tables with ratios.",
        discussion: "Figures are meaningful only for a release build on an otherwise idle machine: make bench.")

    @Option(help: ArgumentHelp("The program to measure; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Option(help: "How often each program is started to measure its first frame.") var starts = 12

    @Option(parsing: .upToNextOption, help: "Numbers of annotations per layer.") var sizes = [1_000, 10_000, 100_000]

    @Option(help: "The size of the downloaded PDF in megabytes.") var megabytes = 100

    @Option(help: "The number of records in the layer of the first sync.") var records = 100_000

    @Option(help: "The number of edits made offline and pushed together.") var edits = 10_000

    @Option(help: "The number of records in the layer copied under load.") var loadRecords = 50_000

    @Option(parsing: .upToNextOption, help: "The rates of the slow link, in kB/s.") var rates = [100, 60, 20, 2]

    @Option(help: "The number of idle listeners.") var listeners = 10_000

    @Option(help: ArgumentHelp("Writes plots as SVG files to this folder, at more sizes.", valueName: "folder"))
    var plots: String?

    @Flag(name: .customLong("brief"), help: "Measures the list on one terminal, against less only.") var isBrief = false

    @Option(
        parsing: .upToNextOption,
        help:
            "Parts to measure: list, burst, pages, pictures, documents, local, sync, queue, edit, download, listeners, writes, fanout, snapshot, load, cluster; link takes half an hour and is left out by default."
    )
    var only = Part.allCases.filter { $0 != .link }

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case list, burst, pages, pictures, documents, local, sync, queue, edit, download, listeners, writes, fanout,
            snapshot, load, cluster, link
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = postilla ?? Bundle.main.executableURL?.deletingLastPathComponent().path.appending("/postilla")
        guard let program, FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchmarkError("there is no program at \(program ?? "?"): build it, or specify it with --postilla")
        }
        Report.add(Machine.text + "\n" + Self.build + "\n")

        let server = try ServerProcess(
            postilla: program, folder: folder.appendingPathComponent("server"), options: Run.withoutRates)
        defer { server.stop() }
        let report = Run(backend: Backend(server: server, postilla: program), folder: folder, options: self)
        if only.contains(.list) { try await report.list() }
        if only.contains(.burst) { try report.burst() }
        if only.contains(.pages) { try await report.pages() }
        if only.contains(.pictures) { try await report.pictures() }
        if only.contains(.documents) { try await report.documents() }
        if only.contains(.local) { try await report.local() }
        if only.contains(.sync) { try await report.sync() }
        if only.contains(.queue) { try await report.queue() }
        if only.contains(.edit) { try await report.edit() }
        if only.contains(.download) { try await report.download() }
        if only.contains(.listeners) { try report.listeners() }
        if only.contains(.writes) { try report.writes() }
        if only.contains(.fanout) { try report.fanout() }
        if only.contains(.snapshot) { try await report.snapshot() }
        if only.contains(.load) { try await report.load() }
        if only.contains(.cluster) { try report.cluster() }
        if only.contains(.link) { try await report.link() }
        if let plots { try report.plots.write(to: URL(fileURLWithPath: plots)) }
        Report.add("Server, whole run: peak \(Figures.megabytes(server.memory.peakResident)) MB (VmHWM).")
    }

    private static var build: String {
        #if DEBUG
            "THIS IS A DEBUG BUILD: its figures mean nothing."
        #else
            "Release build."
        #endif
    }
}
