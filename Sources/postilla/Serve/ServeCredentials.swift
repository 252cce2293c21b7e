import Annotations
import Dispatch
import DocumentEngine

/// The keys that verify tokens and the backend's secrets, from the files that the settings name: read at start, and
/// again on SIGHUP. Collects every problem, so that a server uses all of them or none.
struct ServeCredentials {
    private(set) var keys: [VerificationKey] = []
    private(set) var secrets: [String] = []
    private(set) var problems: [CommandFailure] = []
    /// Files that work but should be protected better.
    private(set) var warnings: [String] = []

    /// The text of one file, or why it cannot be read.
    private typealias File = (path: String, text: Result<String, CommandFailure>)

    init(_ settings: Settings) async {
        let arguments = settings.list(.jwtPublicKey).map(KeyArgument.init)
        if arguments.isEmpty { problems.append(Self.noKey) }
        let (keyFiles, secretFiles) = await Self.read(arguments.map(\.path), settings.list(.apiTokenFile))
        for (argument, file) in zip(arguments, keyFiles) {
            do {
                keys.append(try await VerificationKey(pem: file.text.get(), algorithm: argument.algorithm))
            } catch let problem as TokenKeyError {
                problems.append(CommandFailure("\(file.path): \(problem)", .usage))
            } catch { problems.append(CommandFailure(wrapping: error)) }
        }
        for file in secretFiles {
            do { secrets.append(try Self.checked(file.text.get(), of: file.path)) } catch {
                problems.append(CommandFailure(wrapping: error))
            }
            if let warning = PrivateFile.warning(ifOpen: file.path) { warnings.append(warning) }
        }
    }

    private static func checked(_ secret: String, of path: String) throws(CommandFailure) -> String {
        let minimum = BackendSecrets.minLength
        guard secret.count >= minimum else {
            throw CommandFailure(
                """
                \(path): the secret has \(secret.count) characters, but must have at least \(minimum) (32 are \
                recommended). Create one with
                  openssl rand -hex 32 > \(path)
                """, .usage)
        }
        return secret
    }

    /// Reads files off the cooperative pool: they may be on a slow disk, and the server may be running.
    private static func read(_ keys: [String], _ secrets: [String]) async -> (keys: [File], secrets: [File]) {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "postilla.credentials").async {
                func files(_ paths: [String], _ read: (String) throws -> String) -> [File] {
                    paths.map { path in (path, Result { try read(path) }.mapError(CommandFailure.init(wrapping:))) }
                }
                continuation.resume(
                    returning: (
                        files(keys) { try PrivateFile.read($0) },
                        files(secrets) { try PrivateFile.secret($0, otherwise: .usage) }
                    ))
            }
        }
    }

    private static let noKey = CommandFailure(
        """
        no --jwt-public-key; tokens cannot be verified without one. Create a key pair with
          openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
          openssl pkey -in key.pem -pubout -out key.pub.pem
        and use --jwt-public-key key.pub.pem. To try postilla without a key: postilla demo
        """, .usage)
}

/// A key given as `FILE` or `ALGORITHM:FILE`.
private struct KeyArgument {
    let path: String
    let algorithm: VerificationKey.Algorithm?

    init(_ argument: String) {
        let parts = argument.split(scalar: ":", maxSplits: 1)
        algorithm = parts.count == 2 ? VerificationKey.Algorithm(rawValue: String(parts[0])) : nil
        path = algorithm == nil ? argument : String(parts[1])
    }
}

extension CommandFailure {
    fileprivate init(wrapping error: any Error) { self = error as? CommandFailure ?? CommandFailure("\(error)") }
}
