import Foundation
import TestSupport

/// The cores and their tests in a separate folder, with every fault planted and none active.
///
/// Unchanged files are not rewritten, so that an incremental build is short.
struct Workshop {
    let root: URL

    private static let cores = [
        "Annotations", "Authorization", "SyncProtocol", "EngineCore", "InstantCore", "Merging", "FileCore",
    ]
    private static let tests = [
        "AuthorizationTests", "SyncProtocolTests", "EngineCoreTests", "InstantCoreTests", "FileCoreTests",
    ]
    /// Modules that the copy may import; test support that imports others is left out.
    static let modules =
        cores + ["Foundation", "Glibc", "Synchronization", "Testing", "TestSupport", "Simulation", "FileSimulation"]

    init(at root: URL) throws {
        self.root = root
        try Self.write(Self.files(), below: root)
    }

    /// Returns file contents by path.
    static func files() throws -> [String: String] {
        var files = ["Package.swift": Self.manifest]
        for core in Self.cores {
            for path in Repository.files(below: "Sources/" + core, suffix: ".swift") {
                files[path] = try Self.planted(path, Repository.text(path))
            }
            files["Sources/\(core)/Planted.swift"] = Self.condition
        }
        for folder in Self.tests + ["Simulation", "Simulate", "FileSimulation", "SimulateFiles", "TestSupport"] {
            for path in Repository.files(below: "Tests/" + folder, suffix: ".swift") {
                let text = try Repository.text(path)
                guard folder != "TestSupport" || Self.imports(of: text).isSubset(of: Self.modules) else { continue }
                files[path] = text
            }
        }
        let read = Repository.files(below: "Resources/vectors", suffix: ".json") + ["docs/permissions.md"]
        for path in read { files[path] = try Repository.text(path) }
        return files
    }

    /// Builds everything once, optimised: there are many histories.
    func build() throws {
        let options = ["--configuration", "release", "--package-path", root.path]
        for what in [["--build-tests", "-Xswiftc", "-enable-testing"]] {
            let run = try Run(["swift", "build"] + options + what, limit: 3600)
            guard run.isGood else { throw Problem("the copy does not build:\n\(run.output)") }
        }
    }

    /// Returns the modules that a file imports.
    static func imports(of text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index <= 1, index + 1 < words.count else {
                    return nil
                }
                return String(words[index + 1])
            })
    }

    private static func planted(_ path: String, _ text: String) throws -> String {
        try Fault.all.enumerated().filter { "Sources/" + $0.element.file == path }.reduce(text) { text, numbered in
            try numbered.element.plant(in: text, condition: "(planted == \(numbered.offset + 1))")
        }
    }

    private static func write(_ files: [String: String], below root: URL) throws {
        let manager = FileManager.default
        for folder in ["Sources", "Tests", "Resources", "docs"] {
            let base = root.appendingPathComponent(folder).path
            for case let path as String in manager.enumerator(atPath: base) ?? .init() where path.contains(".") {
                if files["\(folder)/\(path)"] == nil { try manager.removeItem(atPath: "\(base)/\(path)") }
            }
        }
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            if (try? String(contentsOf: file, encoding: .utf8)) == text { continue }
            try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    /// The active fault; 0 for none.
    private static let condition = """
        import Glibc

        let planted = getenv("PLANTED").flatMap { Int(String(cString: $0)) } ?? 0

        """

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let cores: [Target.Dependency] = [\(cores.map { "\"\($0)\"" }.joined(separator: ", "))]
        let package = Package(
            name: "mutations",
            targets: [
                .target(name: "Annotations"),
                .target(name: "Authorization", dependencies: ["Annotations"]),
                .target(name: "SyncProtocol", dependencies: ["Annotations", "Authorization"]),
                .target(name: "EngineCore", dependencies: ["Annotations", "Authorization", "SyncProtocol"]),
                .target(name: "InstantCore", dependencies: ["Annotations", "Authorization", "SyncProtocol"]),
                .target(name: "Merging", dependencies: ["Annotations"]),
                .target(name: "FileCore", dependencies: ["Annotations", "Merging"]),
                .target(name: "TestSupport", dependencies: cores, path: "Tests/TestSupport"),
                .target(name: "Simulation", dependencies: cores + ["TestSupport"], path: "Tests/Simulation"),
                .executableTarget(name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate"),
                .target(
                    name: "FileSimulation", dependencies: cores + ["TestSupport"], path: "Tests/FileSimulation"),
                .executableTarget(
                    name: "simulate-files", dependencies: ["FileSimulation"], path: "Tests/SimulateFiles"),
                \(tests.map { ".testTarget(name: \"\($0)\", dependencies: cores + [\"TestSupport\", \"Simulation\", \"FileSimulation\"])" }
                    .joined(separator: ",\n        ")),
            ],
            swiftLanguageModes: [.v6]
        )
        for target in package.targets {
            target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
                .enableUpcomingFeature($0)
            }
        }

        """
}
