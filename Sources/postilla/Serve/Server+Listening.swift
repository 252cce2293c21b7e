import DocumentEngine

extension Server.Options {
    /// One for each address that cannot be listened on now, with the setting that names another.
    func listeningProblems() -> [CommandFailure] {
        let main = FreePort.problem(port, on: host).map { problem in
            failure(Server.ListenAddress(host: host, port: port), problem, problem.isOfHost ? .host : .port)
        }
        let figures = metrics.flatMap { address in
            FreePort.problem(address.port, on: address.host).map { failure(address, $0, .metricsAddress) }
        }
        return [main, figures].compactMap(\.self)
    }

    private func failure(
        _ address: Server.ListenAddress, _ problem: FreePort.Problem, _ setting: Setting
    ) -> CommandFailure {
        CommandFailure("cannot listen on \(address): \(problem.reason); change --\(setting.name)")
    }
}
