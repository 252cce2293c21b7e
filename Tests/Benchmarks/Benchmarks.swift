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

/// What a person starts.
struct Measurement: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measures Postilla beside other programs, in turns, and prints tables with ratios.",
        discussion: "A figure is worth something in a release build on a machine with nothing else to do: make bench.")

    @Option(help: ArgumentHelp("The program that is measured; by default the one beside this one.", valueName: "path"))
    var postilla: String?

    @Option(help: "Starts of each program for the first frame.") var starts = 12

    @Option(parsing: .upToNextOption, help: "How many annotations a layer has.") var sizes = [1_000, 10_000, 100_000]

    @Option(help: "Megabytes of the PDF that is downloaded.") var megabytes = 100

    @Option(help: "Records of the layer that is loaded for the first time.") var records = 100_000

    @Option(help: "Edits that are made without a connection and pushed together.") var edits = 10_000

    @Option(help: "Records of the layer that is copied while others work.") var loadRecords = 50_000

    @Option(help: "Listeners that are open and hear nothing.") var listeners = 10_000

    @Option(help: ArgumentHelp("Draws plots as SVG files into this folder, at more sizes.", valueName: "folder"))
    var plots: String?

    @Flag(name: .customLong("brief"), help: "The list on one terminal, beside less alone.") var isBrief = false

    @Option(
        parsing: .upToNextOption,
        help:
            "What is measured: list, burst, pages, sync, queue, edit, download, listeners, writes, fanout, snapshot, load."
    )
    var only = Part.allCases

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case list, burst, pages, sync, queue, edit, download, listeners, writes, fanout, snapshot, load
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = postilla ?? Bundle.main.executableURL?.deletingLastPathComponent().path.appending("/postilla")
        guard let program, FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchmarkError("there is no program at \(program ?? "?"): build it, or name it with --postilla")
        }
        Report.add(Machine.text + "\n" + Self.build + "\n")

        let server = try ServerProcess(postilla: program, folder: folder.appendingPathComponent("server"))
        defer { server.stop() }
        let report = Run(backend: Backend(server: server, postilla: program), folder: folder, options: self)
        if only.contains(.list) { try await report.list() }
        if only.contains(.burst) { try report.burst() }
        if only.contains(.pages) { try await report.pages() }
        if only.contains(.sync) { try await report.sync() }
        if only.contains(.queue) { try await report.queue() }
        if only.contains(.edit) { try await report.edit() }
        if only.contains(.download) { try await report.download() }
        if only.contains(.listeners) { try report.listeners() }
        if only.contains(.writes) { try report.writes() }
        if only.contains(.fanout) { try report.fanout() }
        if only.contains(.snapshot) { try await report.snapshot() }
        if only.contains(.load) { try await report.load() }
        if let plots { try report.plots.write(to: URL(fileURLWithPath: plots)) }
        Report.add("Server, whole run: peak \(Figures.megabytes(server.memory.peakResident)) MB (VmHWM).")
    }

    private static var build: String {
        #if DEBUG
            "THIS IS A DEBUG BUILD: no figure of it means anything."
        #else
            "Release build."
        #endif
    }
}
