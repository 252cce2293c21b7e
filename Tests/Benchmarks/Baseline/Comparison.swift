import ArgumentParser
import Foundation

/// Runs the same benchmark against two builds in turns, and reports the ratio of each figure.
struct Comparison: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract:
            "Measures this build and an earlier one in turns (A B A B ...), and prints the ratio of each figure.",
        discussion:
            "The ratios of other programs show how comparable the two builds' turns were: they should be 1.")

    @Option(
        help: ArgumentHelp(
            "The earlier program, or a folder with it and its Benchmarks, which then measures the client library.",
            valueName: "path"))
    var baseline: String

    @Option(help: "The number of runs of each build; medians are compared.") var turns = 5

    @Option(parsing: .upToNextOption, help: "Parts to measure, as for measure.")
    var only: [Measurement.Part] = [.list, .edit, .fanout, .writes, .listeners, .sync, .download]

    @Option(parsing: .upToNextOption, help: "Numbers of annotations per layer.") var sizes = [10_000]

    private struct Build {
        var name: String
        var benchmarks: String
        var postilla: String
    }

    func run() async throws {
        let (this, other) = (try here(), try before())
        if other.benchmarks == this.benchmarks {
            Report.add(
                "There is no Benchmarks next to \(other.postilla): sync, queue, edit and download measure the library of this build."
            )
        }
        var reports: [[ReportFigures]] = [[], []]
        for turn in 1...max(1, turns) {
            for (index, build) in [this, other].enumerated() {
                Report.add("turn \(turn) of \(turns): \(build.name)")
                reports[index].append(ReportFigures(try measure(build, by: this.benchmarks)))
            }
        }
        let theirs = Dictionary(uniqueKeysWithValues: ReportFigures.medians(reports[1]).map { ($0.name, $0.value) })
        var table = Table("median of \(turns)", this.name, other.name, "x")
        for (name, value) in ReportFigures.medians(reports[0]) {
            guard let before = theirs[name] else { continue }
            table.add(name, Self.text(value), Self.text(before), before == 0 ? Figures.none : Self.text(value / before))
        }
        Report.add("\n\(Machine.text)\n\n## Compared with \(baseline)\n\n\(table.text)\n")
    }

    /// The figures of the client library are measured by the build's own program, all others by this one.
    private func measure(_ build: Build, by benchmarks: String) throws -> String {
        let library: [Measurement.Part] = [.sync, .queue, .edit, .download]
        func measure(_ parts: [Measurement.Part], _ command: [String]) throws -> String {
            parts.isEmpty ? "" : try Tools.run(command + ["--only"] + parts.map(\.rawValue))
        }
        func command(_ benchmarks: String) -> [String] {
            [benchmarks, "measure", "--postilla", build.postilla, "--sizes"] + sizes.map(String.init)
        }
        return try measure(only.filter(library.contains), command(build.benchmarks))
            + measure(only.filter { !library.contains($0) }, command(benchmarks) + ["--brief"])
    }

    private static func text(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.1f", value) }

    private func here() throws -> Build {
        guard let program = Bundle.main.executableURL else { throw BenchmarkError("this program has no path") }
        let postilla = program.deletingLastPathComponent().appendingPathComponent("postilla").path
        guard FileManager.default.isExecutableFile(atPath: postilla) else {
            throw BenchmarkError("there is no program at \(postilla): build it")
        }
        return Build(name: "this build", benchmarks: program.path, postilla: postilla)
    }

    private func before() throws -> Build {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: baseline, isDirectory: &isFolder) else {
            throw BenchmarkError(
                "there is nothing at \(baseline): specify a program, or a folder with postilla and Benchmarks")
        }
        let postilla = isFolder.boolValue ? baseline + "/postilla" : baseline
        guard files.isExecutableFile(atPath: postilla) else {
            throw BenchmarkError("there is no program at \(postilla)")
        }
        let own = URL(fileURLWithPath: postilla).deletingLastPathComponent().appendingPathComponent("Benchmarks").path
        return Build(
            name: "baseline", benchmarks: files.isExecutableFile(atPath: own) ? own : try here().benchmarks,
            postilla: postilla)
    }
}
