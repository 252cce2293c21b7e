import Dispatch
import FileCore
import Foundation
import Glibc
import SyncProtocol
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What windows are told of a file.
@Suite(.onOwnThreads) struct ReportTests {
    let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private func report(_ file: LocalFile) -> FileReport { file.report(damage: []) }

    @Test func aWindowIsToldOfEachChange() async throws {
        let file = try await scene.open()
        let (reports, end) = file.reports()
        var heard = reports.makeAsyncIterator()
        func next(_ holds: (FileReport) -> Bool) async -> FileReport? {
            while let report = await heard.next() { if holds(report) { return report } }
            return nil
        }
        let first = try #require(await heard.next())
        #expect(first.document == file.document && first.unwritten == 0 && !first.isMissing)
        try await scene.edit(file, "new", "new")
        let edited = try #require(await next { $0.unwritten == 1 })
        #expect(edited.number > first.number)
        try await scene.append("theirs", "theirs")
        file.send(.changedOnDisk)
        let merged = try #require(await next { $0.merges == 1 })
        #expect(merged.merged.added == 1 && merged.number > edited.number)
        rename(scene.path, scene.path + ".away")
        file.send(.changedOnDisk)
        let gone = try #require(await next { $0.isMissing })
        #expect(try #require(gone.copy).begins(with: scene.root))
        rename(scene.path + ".away", scene.path)
        file.send(.changedOnDisk)
        #expect(await next { !$0.isMissing } != nil)
        end()
        #expect(await heard.next() == nil)
    }

    /// Everybody gets what is known now, also if it is not new to others.
    @Test func aWindowThatComesLaterIsToldAtOnce() async throws {
        let file = try await scene.open()
        var heard = file.reports().0.makeAsyncIterator()
        #expect(await heard.next() != nil)
        var other = file.reports().0.makeAsyncIterator()
        #expect(await other.next()?.document == file.document)
        await file.close()
        while await other.next() != nil {}
    }

    @Test func aDiskThatDoesNotAnswerIsTold() async throws {
        let file = try await scene.open()
        var heard = file.reports().0.makeAsyncIterator()
        let goesOn = DispatchSemaphore(value: 0)
        file.silence.withLock { $0 = { goesOn.wait() } }
        file.work.hooks.withLock { $0.afterReading = { goesOn.wait() } }
        try await scene.append("theirs", "theirs")
        file.send(.changedOnDisk)
        while let report = await heard.next(), !report.isSilent {}
        // It takes edits, and can be closed.
        try await scene.edit(file, "new", "new")
        await file.close(for: scene.process.user)
        file.work.hooks.withLock { $0 = .init() }
        file.silence.withLock { $0 = {} }
        for _ in 0..<8 { goesOn.signal() }
        while let report = await heard.next(), report.isSilent {}
        #expect(!report(file).isSilent)
    }
}
