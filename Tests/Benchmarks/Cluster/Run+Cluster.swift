import Foundation

extension Run {
    /// Where one database under several servers ends.
    func cluster() throws {
        guard
            let postgres = try PostgresServer.start(
                in: folder.appendingPathComponent("postgres-cluster"), connections: 128)
        else { return Report.add("## Several servers\n\nPostgreSQL is not installed.\n") }
        defer { postgres.stop() }
        var table = Table("notifications in a second, to every connection", "one each", "100 each")
        for listeners in [2, 10, 30, 100] {
            func rate(_ batch: Int) throws -> String {
                let count = listeners > 10 ? 5000 : 20_000
                let benchmark = NotifyBenchmark(listeners: listeners, batch: batch, notifications: count)
                return String(format: "%.0f", try benchmark.run(postgres))
            }
            table.add("\(listeners) connections", try rate(1), try rate(100))
        }
        Report.add("## Notifications, one or 100 in a transaction\n\n\(table.text)\n")
        var polls = Table("rows of layers read in a second, in all", "one per query", "1,000 per query")
        for connections in [1, 8] {
            func rate(_ batch: Int) throws -> String {
                let benchmark = PollBenchmark(
                    connections: connections, batch: batch, reads: batch > 1 ? 400_000 : 20_000)
                return String(format: "%.0f", try benchmark.run(postgres))
            }
            polls.add("\(connections) connections", try rate(1), try rate(1000))
        }
        Report.add("## Reads by the clock\n\n\(polls.text)\n")
    }
}
