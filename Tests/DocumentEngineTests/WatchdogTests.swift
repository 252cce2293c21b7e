import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestThreads
import Testing

/// The report of a hanging test run.
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    @Test func whatIsAtWorkIsNamedAfterASilence() async throws {
        let (reports, said) = AsyncStream.makeStream(of: String.self)
        let watchdog = Watchdog(patience: .milliseconds(200), report: { said.yield($0) }, giveUp: {})
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let report = try await watchdog.watch("a server that hangs") {
            try await limited("the watchdog reports") {
                var reports = reports.makeAsyncIterator()
                return await reports.next() ?? ""
            }
        }
        #expect(report.contains("whatIsAtWorkIsNamedAfterASilence"))
        #expect(report.contains("a server that hangs"))
        #expect(report.contains("LISTEN \(listener.localAddress?.port ?? -1) -> 0"))
        #expect(report.contains(" in "), "threads and what they wait for")
        try await listener.close()
    }

    @Test func aLongSilenceEndsTheRun() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let reports = Atomic<Int>(0)
        let watchdog = Watchdog(
            patience: .milliseconds(10), report: { _ in reports.add(1, ordering: .relaxed) }, giveUp: { ended.yield() })
        try await watchdog.watch("a server that hangs") {
            try await limited("the run is ended") { for await _ in ends { return } }
        }
        #expect(reports.load(ordering: .relaxed) >= 15)
    }

    @Test func aWaitInVainSaysWhatItWaitedFor() async {
        await #expect { try await waitUntil("pigs fly", seconds: 0) { false } } throws: {
            "\($0)" == "timed out after 0 s, waiting until pigs fly"
        }
        await #expect {
            try await limited("pigs fly", seconds: 0) { for await _ in AsyncStream<Void>.makeStream().stream {} }
        } throws: {
            "\($0)" == "timed out after 0 s, waiting until pigs fly"
        }
    }
}
