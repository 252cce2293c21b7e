import Annotations
import FoundationEssentials

/// A server and a source of tokens under a name: the table `[profiles.NAME]` of `config.toml`.
struct Profile: Equatable {
    enum Member: String, CaseIterable {
        case server
        case tokenFile = "token-file"
        case tokenCommand = "token-command"
        case tokenURL = "token-url"
        case tokenURLHeaderFile = "token-url-header-file"
        case apiTokenFile = "api-token-file"

        /// Whether the value is a path.
        var isPath: Bool { [.tokenFile, .tokenURLHeaderFile, .apiTokenFile].contains(self) }
    }

    let name: String
    private var values: [Member: String] = [:]

    init(_ name: String) { self.name = name }

    subscript(member: Member) -> String? { values[member] }

    var server: String? { values[.server] }

    /// The file with the backend's secret.
    var apiTokenFile: String? { values[.apiTokenFile] }

    /// nil if the profile names none.
    func source(allowsInsecureHTTP: Bool) -> TokenSource? {
        if let file = values[.tokenFile] { return .file(file) }
        if let command = values[.tokenCommand] { return .command(command) }
        return values[.tokenURL].map {
            .url($0, headerFile: values[.tokenURLHeaderFile], allowsInsecureHTTP: allowsInsecureHTTP)
        }
    }

    /// Sets a value as it is in the file.
    ///
    /// - Parameter folder: The folder of the file, to which relative paths belong.
    /// - Throws: ``ProfileError`` that names the expected value.
    mutating func set(_ member: Member, _ words: [String], folder: String) throws(ProfileError) {
        guard words.count == 1, let word = words.first, !word.isEmpty else {
            throw ProfileError(reason: "\(member.rawValue) must be one string in quotes")
        }
        if member == .server, (try? ServerOptions.checked(word)) == nil {
            throw ProfileError(reason: "server must be an address such as http://127.0.0.1:5000")
        }
        let sources: Set<Member> = [.tokenFile, .tokenCommand, .tokenURL]
        if sources.contains(member), sources.contains(where: { values[$0] != nil }) {
            throw ProfileError(reason: "a profile has only one of token-file, token-command and token-url")
        }
        values[member] = member.isPath ? Self.path(word, in: folder) : word
    }

    /// `~/` is the home folder; a relative path belongs to the folder of the file.
    private static func path(_ word: String, in folder: String) -> String {
        if word.begins(with: "~/"), let home = ProcessInfo.processInfo.environment["HOME"] {
            return home + word.dropFirst(scalars: 1)
        }
        return word.begins(with: "/") ? word : folder + "/" + word
    }
}

/// Why a value of a profile cannot be used.
struct ProfileError: Error {
    var reason: String
}

extension Profile {
    /// - Throws: ``CommandFailure`` if the file is invalid or has no such profile.
    static func named(_ name: String) throws -> Profile {
        let profiles = try Preferences.use().profiles
        if let profile = profiles[name] { return profile }
        let known = profiles.keys.sorted()
        let file = Preferences.path() ?? "config.toml"
        throw CommandFailure(
            known.isEmpty
                ? "no profile \(name): add [profiles.\(name)] with server and token-file to \(file)"
                : "no profile \(name) in \(file); it has \(known.joined(separator: ", "))", .usage)
    }

    /// The names for completion; none if the file cannot be read.
    static func names() -> [String] { ((try? Preferences.load())?.profiles.keys).map { $0.sorted() } ?? [] }
}
