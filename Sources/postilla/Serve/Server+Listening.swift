import DocumentEngine

extension Server.Options {
    /// One failure for each address that cannot be listened on, with the setting to change.
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
