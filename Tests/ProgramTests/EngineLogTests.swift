import Foundation
import Glibc
import Screen
import Testing

@testable import postilla

/// The log of engines stays small, also if several of them write it.
struct EngineLogTests {
    private let folder: Folder
    private var path: String { folder.path + "/engine.log" }

    init() throws { folder = try Folder() }

    private func open() throws -> CInt { try EngineLog.open(path) }

    private func size(_ name: String) -> Int { folder.text(name).utf8.count }

    @Test func aFullLogIsReplacedOnce() throws {
        let log = EngineLog(path, limit: 1000)
        let descriptor = try open()
        defer { close(descriptor) }
        for number in 0..<1000 { log.write(PrintableText(replacing: "line \(number)\n"), to: descriptor) }
        #expect(size("engine.log") <= 1010 && (900...1010).contains(size("engine.log.1")))
        #expect(folder.text("engine.log").contains("line 999\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func twoEnginesWriteOneLog() throws {
        let (one, other) = (EngineLog(path, limit: 500), EngineLog(path, limit: 500))
        let descriptors = [try open(), try open()]
        defer { for descriptor in descriptors { close(descriptor) } }
        for number in 0..<300 {
            one.write(PrintableText(replacing: "one \(number)\n"), to: descriptors[0])
            other.write(PrintableText(replacing: "other \(number)\n"), to: descriptors[1])
        }
        let text = folder.text("engine.log.1") + folder.text("engine.log")
        #expect(text.contains("one 299\n") && text.contains("other 299\n"))
        #expect(size("engine.log") <= 520 && size("engine.log.1") <= 520)
    }

    /// Standard error of an engine that a person started.
    @Test func anotherFileIsLeftAlone() throws {
        try folder.write("engine.log", "the log\n")
        let other = Glibc.open(folder.path + "/mine", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(other) }
        let log = EngineLog(path, limit: 10)
        for _ in 0..<10 { log.write(PrintableText(replacing: "a line\n"), to: other) }
        #expect(size("mine") == 70 && folder.text("engine.log") == "the log\n")
    }

    @Test func aLogThatCannotBeWrittenIsNamedWithItsFolder() throws {
        #expect { try EngineLog.open(folder.path + "/none/engine.log") } throws: {
            "\($0)".contains("\(folder.path)/none does not exist")
        }
    }
}
