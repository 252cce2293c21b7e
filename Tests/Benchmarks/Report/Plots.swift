import Foundation
import Synchronization

/// The figures to plot, collected while the parts run.
final class Plots: Sendable {
    /// Each has its own file.
    enum Subject: String, CaseIterable {
        case firstFrame = "first-frame"
        case memory
        case key
        case firstSync = "first-sync"
        case fanout
        case writers

        fileprivate var empty: Plot {
            switch self {
            case .firstFrame: Plot(title: "From the start to the first complete screen", x: "entries", y: "ms")
            case .memory: Plot(title: "The process's own memory (RssAnon)", x: "entries", y: "MB")
            case .key: Plot(title: "A key that moves one row down, median", x: "entries", y: "ms")
            case .firstSync: Plot(title: "First sync into an empty store", x: "records", y: "ms")
            case .fanout: Plot(title: "A change until the last listener has it, median", x: "listeners", y: "ms")
            case .writers: Plot(title: "Durable writes of all writers together", x: "writers", y: "writes a second")
            }
        }
    }

    private let series = Mutex<[Subject: [Plot.Series]]>([:])

    /// - Parameter y: If nil, nothing is added.
    func add(_ subject: Subject, _ name: String, _ x: Double, _ y: Double?) {
        guard let y else { return }
        series.withLock { series in
            var all = series[subject] ?? []
            if !all.contains(where: { $0.name == name }) { all.append(Plot.Series(name: name, points: [])) }
            for index in all.indices where all[index].name == name { all[index].points.append(Plot.Point(x: x, y: y)) }
            series[subject] = all
        }
    }

    /// Writes a file for each subject that was measured at more than one size.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (subject, lines) in series.withLock({ $0 }) {
            guard lines.contains(where: { $0.points.count > 1 }) else { continue }
            var plot = subject.empty
            plot.series = lines
            try plot.svg.write(
                to: folder.appendingPathComponent(subject.rawValue + ".svg"), atomically: true, encoding: .utf8)
        }
    }
}
