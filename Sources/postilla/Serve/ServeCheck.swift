import DocumentEngine
import PDFPages

/// The report of `serve --check`: all effective settings with their origins, and every problem.
struct ServeCheck {
    let configuration: ServeConfiguration

    /// Problems beyond the settings themselves: the store, the folder, the ports, the tools.
    func problems() -> [CommandFailure] {
        var problems = configuration.problems
        let options = configuration.options
        for tool in options.tools.missing { problems.append(CommandFailure("\(tool)")) }
        problems += options.listeningProblems()
        // Opened only with valid settings, so that no wrong folder is created.
        guard configuration.problems.isEmpty else { return problems }
        do {
            let server = try Server(options)
            if let problem = server.diskProblem {
                problems.append(CommandFailure("\(options.dataFolder): \(problem); see free-disk-bytes"))
            }
            problems += try server.findDamage().map { CommandFailure("\($0)", .damaged) }
        } catch { problems.append(CommandFailure("\(error)")) }
        return problems
    }

    /// What a check with these problems exits with. One that needs another setting outranks one that is temporary, and
    /// both outrank damage, with which the server starts.
    static func status(of problems: [CommandFailure]) -> ExitStatus {
        let found = Set(problems.map(\.status))
        if found.contains(.usage) { return .usage }
        return problems.first { $0.status != .damaged }?.status ?? (found.isEmpty ? .done : .damaged)
    }

    /// One line for each setting: name, value, origin.
    var lines: [String] {
        Setting.all.compactMap { setting in
            guard let value = value(setting) else { return nil }
            let origin = configuration.settings[setting].map { "\($0.origin)" } ?? "default"
            return "\(setting.name) = \(value)  (\(origin))"
        }
    }

    private func value(_ setting: Setting) -> String? {
        let options = configuration.options
        if let limit = LimitSetting.all.first(where: { $0.setting == setting }) {
            return "\(limit.number(in: options))"
        }
        switch setting {
        case .host: return options.host
        case .port: return "\(options.port)"
        case .data: return options.dataFolder
        // Without user and password.
        case .store:
            return options.postgres.map { "\($0)" } ?? options.database ?? "\(options.dataFolder)/postilla.sqlite"
        default:
            let words = configuration.settings.list(setting)
            return words.isEmpty ? nil : words.joined(separator: ", ")
        }
    }
}
