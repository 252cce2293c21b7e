package import Annotations
import Glibc
import InstantCore

/// The inputs of a performer other than the network and the disk.
package struct Environment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// How often to check the lock and look for changes by other processes.
    package var pollMilliseconds = 400
    /// How often to do so while no other process uses the layer, and its folder is watched.
    package var calmMilliseconds = 30_000
    /// How long a request may stand still.
    package var patience = Duration.seconds(45)
    /// Under this name, other processes show that this one syncs.
    package var process = SyncingProcess(
        processID: getpid(), name: CommandLine.arguments.first?.split(scalar: "/").last.map(String.init) ?? "program"
    )

    /// Receives each request to the server once it has ended. Called on any thread.
    package var requestEnded: @Sendable (SentRequest) -> Void = { _ in }

    /// Calls back when the network may be back, for as long as the returned value is retained.
    package var watchNetwork: @Sendable (@escaping @Sendable () -> Void) -> any Sendable = {
        NetworkWatch(returned: $0)
    }

    /// Milliseconds before an interrupted download continues, by the number of consecutive failures.
    package var downloadPause: @Sendable (Int) -> Int64 = { failures in
        var random = SystemRandomNumberGenerator()
        return Backoff.delay(failures: failures, using: &random)
    }

    /// The tables of a layer.
    var schema = LocalSchema.current

    /// The clock of this machine.
    package static let system = Environment(now: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    })
}
