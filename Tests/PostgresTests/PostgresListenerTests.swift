import Glibc
import Testing

@testable import Postgres

struct PostgresListenerTests {
    /// A child process that inherited the closing end would keep the listener's thread waiting.
    @Test func childProcessesInheritNeitherEnd() {
        let (waiting, closing) = PostgresListener.pair()
        defer { close(waiting) }
        for end in [waiting, closing] { #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0) }
        var watched = pollfd(fd: waiting, events: Int16(POLLIN), revents: 0)
        let before = poll(&watched, 1, 0)
        close(closing)
        // A child of another test has a copy until it runs its program.
        let after = poll(&watched, 1, 10_000)
        #expect((before, after) == (0, 1))
    }
}
