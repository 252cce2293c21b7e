import DocumentEngine

extension Server.Options {
    /// One for each address that cannot be listened on now, with the setting that names another.
    func listeningProblems() -> [CommandFailure] {
        let main = (address: Server.ListenAddress(host: host, port: port), setting: Setting.port)
        let figures = metrics.map { (address: $0, setting: Setting.metricsAddress) }
        return [main, figures].compactMap { place in
            guard let place, let problem = FreePort.problem(place.address.port, on: place.address.host) else {
                return nil
            }
            return CommandFailure(
                "cannot listen on \(place.address): \(problem). --\(place.setting.name) names another")
        }
    }
}
