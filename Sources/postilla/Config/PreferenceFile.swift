import Annotations
import FoundationEssentials
import Glibc

extension Preferences {
    /// Returns the path of the configuration file: `POSTILLA_CONFIG`, else `postilla/config.toml` in `$XDG_CONFIG_HOME`
    /// or `~/.config`; nil when none of them is set.
    static func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let path = environment["POSTILLA_CONFIG"], !path.isEmpty { return path }
        // A relative path in an XDG variable is invalid and ignored (XDG base directory specification).
        if let folder = environment["XDG_CONFIG_HOME"], folder.begins(with: "/") {
            return folder + "/postilla/config.toml"
        }
        return environment["HOME"].flatMap { $0.begins(with: "/") ? $0 + "/.config/postilla/config.toml" : nil }
    }

    /// Loads the user's preferences. A missing file is not an error, unless it is named; an unreadable one is.
    ///
    /// - Parameter file: The file to load instead of the usual one.
    /// - Throws: ``CommandFailure``
    static func load(
        file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Preferences {
        if let file {
            return Preferences(environment: environment, file: (file, try text(file)))
        }
        guard let path = path(environment: environment), FileManager.default.fileExists(atPath: path) else {
            return Preferences(environment: environment)
        }
        return Preferences(environment: environment, file: (path, try text(path)))
    }

    /// Reads a file of settings, which can name programs to run.
    ///
    /// - Throws: ``CommandFailure`` if another account may have written it.
    private static func text(_ path: String) throws -> String {
        var (file, folder) = (stat(), stat())
        let parent = path.parted(atLast: "/").map { $0.0.isEmpty ? "/" : String($0.0) } ?? "."
        if stat(path, &file) == 0, stat(parent, &folder) == 0 {
            // In a sticky folder, nobody else can replace the file.
            let isReplaceable = folder.st_mode & 0o002 != 0 && folder.st_mode & S_ISVTX == 0
            guard [0, geteuid()].contains(file.st_uid), file.st_mode & 0o002 == 0,
                [0, geteuid()].contains(folder.st_uid), !isReplaceable
            else {
                throw CommandFailure(
                    "\(path.onOneLine) can name programs to run, and another account may have written it; make it and its "
                        + "folder your own, and run chmod o-w on both", .usage)
            }
        }
        return try PrivateFile.read(path, limit: 1 << 20, pipe: .seconds(5))
    }

    /// Loads the preferences and requires them to be valid.
    ///
    /// - Throws: ``CommandFailure`` that names every problem.
    static func use(file: String? = nil) throws -> Preferences {
        let preferences = try load(file: file)
        if file == nil { SettingsCopy.keep(preferences) }
        guard preferences.problems.isEmpty else {
            throw CommandFailure(preferences.problems.joined(separator: "\n"), .usage)
        }
        return preferences
    }
}
