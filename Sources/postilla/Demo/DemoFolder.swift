import Annotations
import Crypto
import DocumentEngine
import FoundationEssentials

/// The demo's files: one folder under the state folder, removed as a whole.
struct DemoFolder {
    let path: String

    init(_ folders: Folders) throws {
        path = folders.state + "/demo"
        for folder in [path, data, tokens] { try Folders.make(folder) }
    }

    /// The server's data.
    var data: String { path + "/data" }
    var tokens: String { path + "/tokens" }
    var log: String { path + "/server.log" }
    var privateKey: String { path + "/key.pem" }
    var publicKey: String { path + "/key.pub.pem" }
    var apiToken: String { path + "/api-token" }
    /// The port of the last run. It is reused, because local copies are found by the server's address.
    var port: String { path + "/port" }

    func token(_ role: DemoRole) -> String { "\(tokens)/\(role.rawValue).jwt" }

    /// Generates the key pair and the backend's secret, once.
    func makeSecrets() throws {
        if !FileManager.default.fileExists(atPath: privateKey) {
            let key = P256.Signing.PrivateKey()
            try PrivateFile.write(key.publicKey.pemRepresentation + "\n", to: publicKey)
            try PrivateFile.write(key.pemRepresentation + "\n", to: privateKey)
        }
        if !FileManager.default.fileExists(atPath: apiToken) {
            let secret = SymmetricKey(size: .bits256).withUnsafeBytes(\.hexadecimal)
            try PrivateFile.write(secret + "\n", to: apiToken)
        }
    }

    /// Writes a copy of a sample with dates near the present; returns its path.
    func recent(_ sample: String, now: Timestamp) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: sample), let name = sample.split(scalar: "/").last
        else { throw CommandFailure("cannot read \(sample)") }
        let copy = "\(path)/\(name)"
        let moved = Data(SampleDates.recent(Array(bytes), now: now))
        guard FileManager.default.createFile(atPath: copy, contents: moved) else {
            throw CommandFailure("cannot write \(copy)")
        }
        return copy
    }

    /// Writes a fresh token for every role.
    func writeTokens(now: Timestamp) async throws {
        let issuer = try await TokenIssuer(privateKeyPEM: try PrivateFile.read(privateKey))
        var random = SystemRandomNumberGenerator()
        for role in DemoRole.allCases {
            var request = role.request(now: now)
            request.tokenID = ULID.make(at: now, using: &random)
            try PrivateFile.write(try await issuer.token(request) + "\n", to: token(role))
        }
    }
}
