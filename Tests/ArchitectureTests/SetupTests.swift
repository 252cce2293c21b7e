import Children
import Foundation
import TestThreads
import Testing

/// `Resources/setup.sh` on machines with missing requirements, simulated by a folder of stand-ins that is the whole
/// PATH.
@Suite("Setting up a machine", .onProgramThreads)
struct SetupTests {
    @Test("Nothing to do: nothing said, nothing asked, nothing installed", arguments: ["run", "test"])
    func complete(purpose: String) throws {
        let machine = try Machine()
        #expect(try machine.setup(purpose) == Outcome(status: 0, said: ""))
        #expect(machine.log == "")
    }

    @Test func installsWhatIsMissingAndOnlyThat() throws {
        let machine = try Machine()
        try machine.remove("qpdf")
        try machine.standIn(
            "apt-get", "echo \"$*\" >> \"$LOG\"; case $* in *install*) cp \"$HERE/git\" \"$HERE/qpdf\";; esac")
        #expect(try machine.setup("run").status == 0)
        #expect(machine.log.contains("-qq update\n"))
        #expect(machine.log.contains("install --yes --no-install-recommends qpdf\n"))
        let installed = machine.log
        #expect(try machine.setup("run") == Outcome(status: 0, said: ""))
        #expect(machine.log == installed, "the second run finds it and does nothing")
    }

    @Test("Package lists that cannot be refreshed are no reason to give up")
    func offlineLists() throws {
        let machine = try Machine()
        try machine.remove("pdftotext")
        try machine.standIn("apt-get", "case $* in *update*) exit 100;; *) cp \"$HERE/git\" \"$HERE/pdftotext\";; esac")
        #expect(try machine.setup("run").status == 0)
    }

    @Test func saysSoWhenThereIsNoRight() throws {
        let machine = try Machine()
        try machine.remove("qpdf")
        try machine.standIn("apt-get", "echo \"$*\" >> \"$LOG\"")
        try machine.standIn("id", "echo 1000")
        let outcome = try machine.setup("run")
        #expect(outcome.status == 1)
        #expect(outcome.said.contains("No permission to install"))
        #expect(outcome.said.contains("apt-get install qpdf"))
        #expect(machine.log == "")
    }

    @Test("No password is requested that nobody could type; an existing right is used")
    func sudo() throws {
        let machine = try Machine()
        try machine.remove("qpdf")
        try machine.standIn("id", "echo 1000")
        try machine.standIn("apt-get", "case $* in *install*) cp \"$HERE/git\" \"$HERE/qpdf\";; esac")
        try machine.standIn("sudo", "if [ \"$1\" = -n ]; then exit 1; fi; echo \"sudo $*\" >> \"$LOG\"")
        #expect(try machine.setup("run").status == 1)
        #expect(machine.log == "")
        try machine.standIn("sudo", "if [ \"$1\" = -n ]; then exit 0; fi; \"$@\"")
        #expect(try machine.setup("run").status == 0)
    }

    @Test func saysSoWhenItFails() throws {
        let machine = try Machine()
        try machine.remove("qpdf")
        try machine.standIn("apt-get", "exit 100")
        let failed = try machine.setup("run")
        #expect(failed.status == 1)
        #expect(failed.said.contains("apt-get could not install them"))
        try machine.standIn("apt-get", "exit 0")
        let pretended = try machine.setup("run")
        #expect(pretended.status == 1)
        #expect(pretended.said.contains("Still missing after the installation: qpdf"))
        try machine.remove("apt-get")
        let unknown = try machine.setup("run")
        #expect(unknown.status == 1)
        #expect(unknown.said.contains("No known package manager"))
    }

    @Test(arguments: [
        ("Swift version 6.2 (swift-6.2-RELEASE)", true), ("Swift version 6.3.1 (swiftlang-6.3.1)", true),
        ("Swift version 6.10-dev", true), ("Swift version 7.0", true), ("Swift version 6.1.2 (swift-6.1.2)", false),
        ("Swift version 5.10.1", false), ("", false),
    ])
    func swiftVersions(version: String, isEnough: Bool) throws {
        let machine = try Machine()
        try machine.standIn("swift", "echo '\(version)'")
        let outcome = try machine.setup("run")
        #expect((outcome.status == 0) == isEnough)
        #expect(outcome.said.contains("https://www.swift.org/install") == !isEnough)
    }

    @Test func withoutSwift() throws {
        let machine = try Machine()
        try machine.remove("swift")
        let outcome = try machine.setup("run")
        #expect(outcome.status == 1)
        #expect(outcome.said.contains("No Swift toolchain found"))
    }
}

struct Outcome: Equatable {
    var status: Int32
    var said: String
}

/// A folder that is the script's whole PATH: stand-ins for the requirements, and the real tools that the script uses.
private final class Machine {
    private let folder: URL
    private var logFile: URL { folder.appendingPathComponent("log") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("machine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for tool in ["sh", "sed", "head", "cat", "env", "cp"] {
            let real = ["/usr/bin/", "/bin/"].map { $0 + tool }.first(where: FileManager.default.fileExists)
            guard let real else { continue }
            try FileManager.default.createSymbolicLink(atPath: path(tool), withDestinationPath: real)
        }
        for name in [
            "git", "pdftotext", "qpdf", "pkg-config", "initdb", "python3", "apt-get", "zsh", "fish", "jq", "bindfs",
        ] {
            try standIn(name, "exit 0")
        }
        try standIn("id", "echo 0")
        try standIn("swift", "echo 'Swift version 6.3.1'")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What stand-ins wrote to `$LOG`.
    var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Written by a child process: a process started by another test would inherit a writable descriptor of this
    /// process, and Linux does not execute a file that is open for writing ("Text file busy").
    func standIn(_ name: String, _ script: String) throws {
        let writer = ChildProcess()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c", #"rm -f "$1"; printf '#!/bin/sh\n%s\n' "$2" > "$1"; chmod 755 "$1""#, "sh", path(name), script,
        ]
        try writer.run()
        writer.waitUntilExit()
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    func setup(_ purpose: String) throws -> Outcome {
        let process = ChildProcess()
        let said = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [SourceFile.root + "/Resources/setup.sh", purpose]
        process.environment = ["PATH": folder.path, "HERE": folder.path, "LOG": logFile.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = said
        process.standardError = said
        try process.run()
        let text = said.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, said: String(decoding: text, as: UTF8.self))
    }
}
