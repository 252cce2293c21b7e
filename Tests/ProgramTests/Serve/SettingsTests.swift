import DocumentEngine
import InstantCore
import Testing

@testable import postilla

struct SettingsTests {
    private static let file = (path: "server.toml", text: "port = 1\nhost = \"file\"\ndata = \"/file\"\n")

    @Test func anOptionBeatsAVariableAndAVariableTheFile() throws {
        let settings = try Settings(
            options: [.port: ["3"]],
            environment: ["POSTILLA_SERVE_PORT": "2", "POSTILLA_SERVE_HOST": "environment", "HOME": "/root"],
            file: Self.file)
        #expect(try settings.number(.port, in: 0...10) == 3)
        #expect(try settings.text(.host) == "environment")
        #expect(try settings.text(.data) == "/file")
        #expect(try settings.text(.store) == nil)
        #expect("\(settings[.port]!.origin)" == "--port")
        #expect("\(settings[.host]!.origin)" == "POSTILLA_SERVE_HOST")
        #expect("\(settings[.data]!.origin)" == "server.toml, line 3")
    }

    @Test(arguments: [
        ("prot = 1", "server.toml, line 1: unknown setting: prot"),
        ("\n[limits]\nstream = 1", "server.toml, line 3: unknown setting: limits.stream"),
        ("port = 1\nport = 2", "server.toml, line 2: port is set twice"),
        ("port = ", "server.toml, line 1: missing value (strings need quotes)"),
        (
            #"api-token = "hush""#,
            "server.toml, line 1: secrets are not allowed here; put the secret in a file and use api-token-file"
        ),
    ])
    func whatIsWrongInAFileIsToldWithItsLine(_ text: String, _ sentence: String) {
        #expect {
            try Settings(options: [:], environment: [:], file: ("server.toml", text))
        } throws: {
            ($0 as? CommandFailure)?.message == sentence && ($0 as? CommandFailure)?.status == .usage
        }
    }

    @Test func aVariableThatIsNoneIsAMistakeToo() {
        #expect(throws: CommandFailure.self) {
            try Settings(options: [:], environment: ["POSTILLA_SERVE_PROT": "1"], file: nil)
        }
    }

    @Test func whatIsSetIsReadAsWhatItHasToBe() throws {
        let settings = try Settings(
            options: [:],
            environment: [
                "POSTILLA_SERVE_JWT_PUBLIC_KEY": "a.pem,RS512:b.pem", "POSTILLA_SERVE_BEHIND_PROXY": "yes",
                "POSTILLA_SERVE_LIMITS_STREAMS_PER_TOKEN": "-1", "POSTILLA_SERVE_LOG_FORMAT": "xml",
            ], file: ("f", "port = [1, 2]"))
        #expect(settings.list(.jwtPublicKey) == ["a.pem", "RS512:b.pem"])
        let wrong: [(String, () throws -> Any?)] = [
            ("POSTILLA_SERVE_BEHIND_PROXY: behind-proxy must be true or false", { try settings.isOn(.behindProxy) }),
            ("f, line 1: port must be one string", { try settings.number(.port, in: 0...9) }),
            (
                "POSTILLA_SERVE_LOG_FORMAT: log-format must be one of text, json",
                { try settings.choice(.logFormat, of: LogFormat.self) }
            ),
            (
                "POSTILLA_SERVE_LIMITS_STREAMS_PER_TOKEN: limits.streams-per-token must be a number from 0 to 10",
                { try settings.number(Setting(name: "limits.streams-per-token"), in: 0...10) }
            ),
        ]
        for (sentence, read) in wrong {
            #expect { try read() } throws: { ($0 as? CommandFailure)?.message == sentence }
        }
    }

    /// Without TLS a server listens to this machine only: a name is looked up and may be any machine.
    @Test(arguments: [
        ("localhost", true), ("127.0.0.1", true), ("127.255.0.3", true), ("::1", true), ("127.example.com", false),
        ("127.0.0.1.example.com", false), ("127.0.0", false), ("127.", false), ("128.0.0.1", false), ("0.0.0.0", false),
        ("::", false), ("example.com", false),
    ])
    func onlyAddressesOfThisMachineAreLoopback(_ host: String, _ isLoopback: Bool) {
        #expect(IPAddress.isLoopback(host: host) == isLoopback)
    }

    @Test func everyLimitStandsWhereItIsSaidToStand() {
        var numbers: Set<Int> = []
        for (index, limit) in LimitSetting.all.enumerated() {
            var options = Server.Options(dataFolder: "", keys: [])
            #expect(limit.range.contains(limit.number(in: options)), "\(limit.name)")
            limit.set(1_000_003 + index, in: &options)
            // Each setting changes one number, and no two change the same.
            numbers.formUnion(
                LimitSetting.all.map { $0.number(in: options) }.filter { $0 > 1_000_000 && $0 < 1_000_100 })
        }
        #expect(numbers == Set((0..<LimitSetting.all.count).map { 1_000_003 + $0 }))
        #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
    }
}
