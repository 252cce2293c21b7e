import Annotations
import EngineSupport
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// The shipped systemd unit, and what it needs of the program.
@Suite(.onOwnThreads, .timeLimit(.minutes(15)))
struct UnitStories {
    private let folder: Folder
    private let key: String

    init() throws {
        folder = try Folder()
        key = try folder.write("key.pub.pem", TokenMint().publicKeyPEM)
    }

    private func serve(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
        try Program.run(
            ["serve", "--jwt-public-key", key, "--port", "0"] + arguments,
            environment: environment.merging(["HOME": folder.path]) { $1 })
    }

    // MARK: With a real systemd

    private static let script = Repository.root + "/Resources/systemd/unit-test.sh"
    private static let isPlayable =
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-nspawn")
        && FileManager.default.fileExists(atPath: Repository.root + "/.build/unit-test/bookworm.tar")

    /// A boot, with rotation, damage, restore, and a database that comes up late.
    @Test(
        .enabled(
            if: isPlayable, "needs root, systemd-nspawn and the Debian root that `make unit-test` makes once"))
    func theUnitIsPlayed() throws {
        let run = try Program.run(
            [Program.path],
            environment: ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "CACHED": "yes"],
            executable: Self.script, seconds: 600)
        // systemd-nspawn is there, but has not the rights to boot, as in some containers.
        guard run.status != 77 else { return print("the systemd unit was not played: \(run.messages)") }
        #expect(run.status == 0, "\(run.output)\(run.messages)")
    }

    // MARK: A folder as systemd makes it

    /// `DynamicUser` makes the data folder a link to `private/postilla`.
    @Test(arguments: ["private/postilla", "/absolute", "private/postilla/"]) func theDataFolderMayBeALink(
        _ target: String
    )
        throws
    {
        let there = folder.path + "/private/postilla"
        try PrivateFiles.make(folder: there)
        let link = folder.path + "/postilla"
        let leadsTo = target == "/absolute" ? there : target
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: leadsTo)
        let engine = try EngineProcess(options: ["--data", link])
        try engine.upload(.paper())
        engine.stop()
        #expect(FileManager.default.fileExists(atPath: there + "/postilla.sqlite"))
        let copy = folder.path + "/copy"
        #expect(try Program.run(["backup", copy, "--data", link], environment: ["HOME": folder.path]).status == 0)
        let restored = try Program.run(
            ["restore", copy, "--data", link, "--replace"], environment: ["HOME": folder.path])
        #expect(restored.status == 0, "\(restored.messages)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == leadsTo, "the link stays")
        try engine.start()
        #expect(try engine.records(layer: "").contains("Printed remark"))
    }

    private struct Place: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var why: String
        /// Makes the link `data` in this folder.
        var make: @Sendable (String) throws -> Void
    }

    private static func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private static let refused: [Place] = [
        Place(testDescription: "others may enter the target", why: "run chmod 700 ") {
            try FileManager.default.createDirectory(
                atPath: $0 + "/open", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
            try link($0 + "/data", to: "open")
        },
        Place(testDescription: "a link to a link", why: "which is a link or not a folder") {
            try PrivateFiles.make(folder: $0 + "/there")
            try link($0 + "/second", to: "there")
            try link($0 + "/data", to: "second")
        },
        Place(testDescription: "a link to a link with a slash", why: "which is a link or not a folder") {
            try PrivateFiles.make(folder: $0 + "/there")
            try link($0 + "/second", to: "there")
            try link($0 + "/data", to: "second/")
        },
        Place(testDescription: "a link to a file", why: "which is a link or not a folder") {
            try Data().write(to: URL(fileURLWithPath: $0 + "/file"))
            try link($0 + "/data", to: "file")
        },
        Place(testDescription: "a link to nothing", why: "it is a link to nothing: ") {
            try link($0 + "/data", to: "nothing")
        },
        Place(testDescription: "a link to itself", why: "which is a link or not a folder") {
            try link($0 + "/data", to: "data")
        },
    ]

    @Test(arguments: refused) private func anyOtherLinkIsRefused(_ place: Place) throws {
        try place.make(folder.path)
        for slash in ["", "/"] {
            let run = try serve("--data", folder.path + "/data" + slash)
            #expect(run.status == 1 && run.messages.contains(place.why), "\(run.messages)")
        }
        let mode = FileStatus(folder.path + "/open")?.mode
        #expect(mode == nil || mode == 0o750, "the target is not changed")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away")) func linksAndTargetsOfOthersAreRefused() throws
    {
        let (there, link) = (folder.path + "/there", folder.path + "/data")
        try PrivateFiles.make(folder: there)
        try Self.link(link, to: "there")
        lchown(link, 65_534, 65_534)
        let others = try serve("--data", link)
        #expect(others.status == 1 && others.messages.contains("it is a link of another user"), "\(others.messages)")
        lchown(link, 0, 0)
        chown(there, 65_534, 65_534)
        let target = try serve("--data", link)
        #expect(target.status == 1 && target.messages.contains("which belongs to another user"), "\(target.messages)")
    }

    // MARK: What the unit relies on

    @Test func damageHasAnExitStatusOfItsOwn() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        engine.stop()
        #expect(try engine.check().status == 0)
        try engine.damageDocuments()
        let check = try engine.check()
        #expect(check.status == 65 && check.messages.contains("damaged: document"), "\(check.messages)")
        // What prevents a start outranks damage, and a wrong setting both.
        let data = engine.folder.path + "/data"
        let other = try EngineProcess()
        let port = try #require(other.url.split(separator: ":").last.map(String.init))
        let busy = try serve("--data", data, "--check", "--port", port)
        #expect(busy.status == 1 && busy.messages.contains("damaged: document"), "\(busy.messages)")
        #expect(try serve("--data", data, "--check", "--limit", "streams=-1").status == 64)
        // The server starts.
        try engine.start()
    }

    @Test func aJSONLogHasNoOtherLines() throws {
        let json = ["POSTILLA_SERVE_LOG_FORMAT": "json"]
        let data = folder.path + "/data"
        let secret = try folder.write("secret", "hush, hush, hush!")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret)
        let config = try folder.write("server.toml", "log-format = \"json\"\nlimit-rate = 0\n")
        let runs = [
            try serve("--data", data, "--check", "--to-log", "--api-token-file", secret, environment: json),
            try serve("--data", data, "--check", "--to-log", "--config", config),
            try serve("--data", data, "--config", config),
            try serve("--data", secret, "--api-token-file", secret, environment: json),
            try serve("--data", data, "--log-format", "json", "--config", folder.path + "/none"),
            try serve("--data", data, "--config", try folder.write("wrong.toml", "prot = 1\n"), environment: json),
        ]
        #expect(runs.map(\.status) == [0, 64, 64, 1, 1, 64])
        for run in runs {
            #expect(run.output.isEmpty && !run.messages.isEmpty)
            for line in run.messages.split(separator: "\n") {
                let entry = try? JSON(parsing: String(line))
                #expect(entry?["message"]?.string?.isEmpty == false && entry?["level"]?.string != nil, "\(line)")
            }
        }
        #expect(runs[0].messages.contains("is readable by other users"))
        // In the other format, a line is one of the log, too.
        let text = try serve("--data", data, "--check", "--to-log")
        #expect(text.messages.hasSuffix(" info the check found no errors\n"), "\(text.messages)")
        #expect(try serve("--data", data, "--to-log").status == 64)
    }

    @Test func aStopThatTakesTooLongIsRefused() throws {
        let data = folder.path + "/data"
        for (settings, holds) in [
            (["--stop-timeout", "60s"], true), (["--stop-timeout", "60s", "--drain", "39s"], true),
            (["--stop-timeout", "60s", "--drain", "40s"], false), (["--stop-timeout", "20s"], false),
            (["--stop-timeout", "1m", "--limit", "stop-seconds=61"], false), (["--stop-timeout", "soon"], false),
            (["--drain", "3600s"], true),
        ] {
            let run = try Program.run(
                ["serve", "--jwt-public-key", key, "--port", "0", "--data", data, "--check"] + settings,
                environment: ["HOME": folder.path])
            #expect(run.status == (holds ? 0 : 64), "\(settings): \(run.messages)")
            if !holds { #expect(run.messages.contains("stop-timeout"), "\(run.messages)") }
        }
    }

    /// The times that the server compares are those of the unit.
    @Test func theUnitSaysTheSameTimeTwice() throws {
        let unit = try Repository.text("Resources/systemd/postilla.service")
        let times = [/TimeoutStopSec=(\d+)\n/, /POSTILLA_SERVE_STOP_TIMEOUT=(\d+)s\n/].map { pattern in
            unit.firstMatch(of: pattern).map { String($0.1) }
        }
        #expect(times[0] != nil && times[0] == times[1])
        for line in ["StartLimitIntervalSec=0", "After=network-online.target postgresql.service", "DynamicUser=yes"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
    }
}
