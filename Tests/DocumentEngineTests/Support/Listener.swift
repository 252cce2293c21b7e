import NIOCore
import NIOPosix
import Synchronization

/// A port on which no connection is expected.
final class Listener: Sendable {
    private let channel: any Channel
    private let count: Count

    init() async throws {
        let count = Count()
        self.count = count
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.add()
                return channel.close()
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
    var visitors: Int { count.value }

    func close() async throws { try await channel.close() }

    private final class Count: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }
}
