import ArgumentParser
import Foundation
import TestSupport

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures Postilla beside other programs, in turns, and prints tables with ratios.")

    @Option(help: "Starts of each program.") var starts = 15

    func run() async throws {
        print(Machine.text)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for count in [1_000, 10_000] {
            let remarks = Remark.all(count, pages: 109)
            let peers = Peers(folder: folder)
            let contestants = try [
                peers.less(remarks), peers.neomuttOnMailbox(remarks), peers.neomuttOnMaildir(remarks),
            ].compactMap(\.self)
            let benchmark = ListBenchmark(contestants: contestants, rows: 24, columns: 80, starts: starts)
            var figures = try benchmark.run()
            for index in figures.indices {
                figures[index].memory = try benchmark.memory(of: figures[index].contestant)
                figures[index].idle = try benchmark.idle(figures[index].contestant)
            }
            print(ListTable(figures: figures, reference: "neomutt, mbox").text)
        }
    }
}
