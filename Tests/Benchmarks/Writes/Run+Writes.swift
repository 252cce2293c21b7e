import Foundation

extension Run {
    func writes() throws {
        try backend.upload(try sample("reading-machines.pdf"), as: "writes")
        let postgres = try PostgresServer.start(in: folder.appendingPathComponent("postgres-writes"), connections: 128)
        defer { postgres?.stop() }
        let redis = try RedisServer.start(in: folder.appendingPathComponent("redis"))
        defer { redis?.stop() }
        let server = backend.server
        var peers = [WritesBenchmark.Peer(name: "postilla") { try WireWriter(server, document: "writes") }]
        if let postgres {
            peers.append(.init(name: "PostgreSQL \(postgres.version): insert, NOTIFY") { try NotifyWriter(postgres) })
        }
        if let redis {
            peers.append(.init(name: "Redis \(redis.version): XADD, appendfsync always") { try redis.writer() })
        }
        for writers in options.plots == nil ? [8, 64] : [1, 4, 8, 16, 64] {
            try writes(WritesBenchmark(writers: writers), peers)
        }
    }

    private func writes(_ benchmark: WritesBenchmark, _ peers: [WritesBenchmark.Peer]) throws {
        let rates = try benchmark.run(peers)
        var table = Table("durable writes in a second", "median", "least-most", "postilla is x")
        let ours = Self.median(rates[0])
        for (peer, rates) in zip(peers, rates) {
            table.add(
                peer.name, Self.whole(Self.median(rates)),
                Self.whole(rates.min() ?? 0) + "-" + Self.whole(rates.max() ?? 0),
                String(format: "%.2f", ours / Self.median(rates)))
            plots.add(
                .writers, String(peer.name.prefix { $0 != " " }), Double(benchmark.writers), Self.median(rates))
        }
        Report.add("## \(benchmark.writers) writers, one change per request\n\n\(table.text)\n")
    }

    private static func median(_ rates: [Double]) -> Double { rates.sorted()[rates.count / 2] }
    private static func whole(_ rate: Double) -> String { String(format: "%.0f", rate) }
}
