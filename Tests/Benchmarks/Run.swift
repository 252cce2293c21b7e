import Foundation

/// The state that the parts of one run share. Each part is an extension next to what it measures, and prints its
/// tables.
struct Run {
    /// Options of `serve`: a benchmark's one user is as busy as thousands.
    static let withoutRates = ["--limit", "requests-per-second=0"]

    var backend: Backend
    var folder: URL
    var options: Measurement
    /// Filled by the parts; drawn when all are done.
    let plots = Plots()

    /// Returns the path of one of the package's samples. The working directory must be the package's root, as with
    /// make.
    func sample(_ name: String) throws -> String {
        let path = "Resources/samples/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            throw BenchmarkError("\(path) does not exist: run this in the folder that contains Package.swift")
        }
        return path
    }
}
