import Children
import Foundation
import TestSupport

/// Type-checks external programs against the library just built, without rebuilding it.
struct Compiler {
    private let swiftc: String
    private let modules: String
    private let moduleMaps: [String]

    /// nil if there is no compiler, or no modules next to the tests.
    init?() {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates = path.split(separator: ":").map { String($0) + "/swiftc" }
        let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) ?? CommandLine.arguments[0]
        let products = URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent().path
        modules = products + "/Modules"
        guard let swiftc = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }),
            FileManager.default.fileExists(atPath: modules + "/Instant.swiftmodule")
        else { return nil }
        self.swiftc = swiftc
        // The C libraries of the dependencies: a debug module refers to them even where it hides them.
        let checkouts = URL(fileURLWithPath: products).deletingLastPathComponent().deletingLastPathComponent().path
        moduleMaps =
            Self.entries(products).map { $0 + "/module.modulemap" }
            + Self.entries(checkouts + "/checkouts").flatMap { Self.entries($0 + "/Sources") }
            .flatMap { [$0 + "/module.modulemap", $0 + "/include/module.modulemap"] }
    }

    private static func entries(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { folder + "/" + $0 }
    }

    /// - Parameter arguments: In addition to the usual ones.
    /// - Returns: The compiler's diagnostics; empty when the files are fine.
    func complaints(about files: String..., arguments: [String] = []) throws -> String {
        try complaints(about: files, arguments: arguments)
    }

    func complaints(about files: [String], arguments: [String] = []) throws -> String {
        let process = ChildProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: swiftc)
        process.arguments =
            ["-typecheck", "-swift-version", "6", "-I", modules]
            + moduleMaps.filter { FileManager.default.fileExists(atPath: $0) }.flatMap {
                ["-Xcc", "-fmodule-map-file=" + $0]
            } + arguments + files
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : text
    }
}
