import Foundation

/// What the parts of one run share. Each part stands beside what it measures, and prints its tables.
struct Run {
    var backend: Backend
    var folder: URL
    var options: Measurement
    /// Filled by the parts; drawn when all are done.
    let plots = Plots()

    /// The package's own samples; the working directory is its root, as with make.
    func sample(_ name: String) throws -> String {
        let path = "Resources/samples/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            throw BenchmarkError("\(path) is not there: run this in the folder that holds Package.swift")
        }
        return path
    }
}
