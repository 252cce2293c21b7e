import TestSupport
import Testing

/// Runs `Resources/vectors/permissions.json` against a real server, with a client that ignores its permissions.
@Suite("Permissions against a hostile client", .timeLimit(.minutes(15))) struct HostileClientTests {
    @Test func everyRowOfTheTableHolds() async throws {
        let tokens = try PermissionCase.all()
        try await RunningServer.run { server in
            try await server.upload()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Four at a time, each on its own layer.
                for part in 0..<4 {
                    group.addTask {
                        for number in stride(from: part, to: tokens.count, by: 4) {
                            try await Attempt(tokens[number], on: "layer-\(number)", of: server).run()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
