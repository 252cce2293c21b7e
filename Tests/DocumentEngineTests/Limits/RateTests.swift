import Annotations
import EngineCore
import SyncProtocol
import Synchronization
import TestThreads
import Testing

@testable import DocumentEngine

/// A client that sends too many requests, or too much at once, gets a retry time. Others at its address are not
/// affected.
@Suite(.timeLimit(.minutes(15))) struct RateTests {
    @Test func aTokenAsksAsOftenAsItMay() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 5
        } _: { server in
            try await server.upload()
            let (ana, bo) = (try server.mint.token(TokenClaims()), try server.mint.token(TokenClaims(user: "bo")))
            for _ in 0..<10 { #expect(try await server.client(ana, "GET", "session").status == 200) }
            let tooMany = try await server.client(ana, "GET", "session")
            #expect((tooMany.status, tooMany.reason) == (429, "too_many_requests"))
            #expect(tooMany.headers["retry-after"] == "1")
            // Other clients are not affected, and one second later the client itself may continue.
            #expect(try await server.client(bo, "GET", "session").status == 200)
            server.clock.advance(seconds: 1)
            for _ in 0..<5 { #expect(try await server.client(ana, "GET", "session").status == 200) }
            #expect(try await server.client(ana, "GET", "session").status == 429)
        }
    }

    /// A user cannot multiply the rate with more tokens; a token without a user has its own rate.
    @Test func allTokensOfAUserShareOneRate() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 5
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            try await server.upload()
            func tokens(_ user: String?) throws -> [String] {
                try (0..<2).map { try server.mint.token(TokenClaims(user: user, id: "\($0)")) }
            }
            let (ana, anonymous) = (try tokens("ana"), try tokens(nil))
            for _ in 0..<5 {
                for token in ana { #expect(try await server.client(token, "GET", "session").status == 200) }
            }
            for token in ana {
                let tooMany = try await server.client(token, "GET", "session")
                #expect((tooMany.status, tooMany.reason) == (429, "too_many_requests"))
            }
            for token in anonymous {
                for _ in 0..<10 { #expect(try await server.client(token, "GET", "session").status == 200) }
                #expect(try await server.client(token, "GET", "session").status == 429)
            }
            let line = #"postilla_limited_requests_total{limit="requests-per-second"} 4"#
            #expect(try await server.figures().contains(line + "\n"))
        }
    }

    /// Whoever holds a token that is not valid now cannot keep its user from asking, neither what the server thinks of
    /// the token nor anything else.
    @Test func anExpiredTokenCountsForItself() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 1
        } _: { server in
            try await server.upload()
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["revoked"]}"#)
            let good = try server.mint.token(TokenClaims())
            let expired = try server.mint.token(TokenClaims(expires: TestClock.start))
            let revoked = try server.mint.token(TokenClaims(id: "revoked"))
            let deleted = try server.mint.token(TokenClaims(document: "none"))
            for token in [expired, revoked, deleted] {
                var statuses: [Int] = []
                for _ in 0..<3 { statuses.append(try await server.client(token, "GET", "token").status) }
                #expect(statuses == [200, 200, 429])
            }
            for path in ["token", "session"] { #expect(try await server.client(good, "GET", path).status == 200) }
            #expect(try await server.client(good, "GET", "token").status == 429)
        }
    }

    /// The server learns from the first refusal that the token was revoked.
    @Test func aRevokedTokenCountsForItself() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 1
        } _: { server in
            try await server.upload()
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["revoked"]}"#)
            let good = try server.mint.token(TokenClaims())
            let revoked = try server.mint.token(TokenClaims(id: "revoked"))
            var reasons: [String?] = []
            for _ in 0..<4 { reasons.append(try await server.client(revoked, "GET", "session").reason) }
            #expect(reasons == ["token_revoked", "token_revoked", "token_revoked", "too_many_requests"])
            #expect(try await server.client(good, "GET", "session").status == 200)
        }
    }

    @Test func whatIsTurnedAwayIsNotDone() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 1
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            for number in 1...2 {
                #expect(try await server.push(token, [Samples.create(Int64(number), "n\(number)")]).status == 200)
            }
            #expect(try await server.push(token, [Samples.create(3, "n3")]).status == 429)
            server.clock.advance(seconds: 60)
            let answer: PushAnswer = try await server.push(token, [Samples.create(3, "n3")]).message()
            #expect(answer.results.first?.status == .applied)
        }
    }

    @Test func theBackendIsTrustedUnlessItIsSaid() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            for _ in 0..<50 { #expect(try await server.backend("GET", "/api/documents").status == 200) }
        }
        try await RunningServer.run {
            $0.service.backendRequestsPerSecond = 2
        } _: { server in
            for _ in 0..<4 { #expect(try await server.backend("GET", "/api/documents").status == 200) }
            let tooMany = try await server.backend("GET", "/api/documents")
            #expect((tooMany.status, tooMany.reason) == (429, "too_many_requests"))
        }
    }

    /// The limit applies to wrong secrets only: it cannot lock out the backend, which may share the address with
    /// anyone.
    @Test func wrongSecretsDoNotLockOutTheRightOne() async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 5
        } _: { server in
            for guess in 0..<5 {
                let answer = try await server.send(
                    "GET", "/api/documents", headers: [("Authorization", #"Token token="guess \#(guess)""#)])
                #expect(answer.status == 401)
            }
            let wrong = ("Authorization", #"Token token="one more""#)
            let limited = try await server.send("GET", "/api/documents", headers: [wrong])
            #expect((limited.status, limited.reason) == (429, "too_many_requests"))
            #expect(limited.headers["retry-after"] == "12")
            #expect(try await server.backend("GET", "/api/documents").status == 200)
            // Forged tokens are counted separately.
            try await server.upload()
            let forged = String(try server.mint.token(TokenClaims()).dropLast(8)) + "AAAAAAAA"
            #expect(try await server.client(forged, "GET", "session").status == 401)
            server.clock.advance(seconds: 12)
            #expect(try await server.send("GET", "/api/documents", headers: [wrong]).status == 401)
        }
    }

    /// Tokens cannot be guessed, and honest clients may share the address.
    @Test func forgedTokensDoNotCloseTheAddressForGoodOnes() async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 5
        } _: { server in
            try await server.upload()
            let good = try server.mint.token(TokenClaims())
            let forged = String(good.dropLast(8)) + "AAAAAAAA"
            for _ in 0..<5 { #expect(try await server.client(forged, "GET", "session").status == 401) }
            #expect(try await server.client(forged, "GET", "session").status == 429)
            #expect(try await server.client(good, "GET", "session").status == 200)
        }
    }

    /// 10,000 forged tokens and as many guesses at the secret in a minute lock out neither the backend nor a valid user,
    /// on the same address.
    @Test func authenticatedClientsAreServedWhateverOthersDo() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let good = try server.mint.token(TokenClaims())
            let forged = String(good.dropLast(8)) + "AAAAAAAA"
            let ask = "GET /instant/v1/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(forged)\r\n\r\n"
            let guess = "GET /api/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Token token=\"guess\"\r\n\r\n"
            var answers: [String: Int] = [:]
            try await withThrowingTaskGroup(of: [String].self) { group in
                for text in [ask, guess] {
                    for _ in 0..<4 {
                        group.addTask {
                            try await RawConnection.open(server, seconds: 240) { connection in
                                try await connection.send(String(repeating: text, count: 2_500))
                                connection.endInput()
                                return try await connection.rest().matches(of: #/HTTP/1\.1 (\d{3}) /#).map {
                                    String($0.1)
                                }
                            }
                        }
                    }
                }
                for number in 0..<50 {
                    let fresh = try server.mint.token(TokenClaims(user: "user\(number)"))
                    #expect(try await server.client(fresh, "GET", "session").status == 200)
                    #expect(try await server.client(good, "GET", "session").status == 200)
                    #expect(try await server.backend("GET", "/api/documents").status == 200)
                }
                for try await statuses in group { for status in statuses { answers[status, default: 0] += 1 } }
            }
            // For sixty of each, the response states the reason.
            #expect(answers == ["401": 120, "429": 19_880])
        }
    }

    @Test func unauthenticatedRequestsAreLimitedPerAddress() async throws {
        try await RunningServer.run {
            $0.service.unauthenticatedRequestsPerSecond = 2
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            try await server.upload()
            let old = try server.mint.token(TokenClaims(expires: TestClock.start + -1000))
            let statuses = [
                try await server.send("GET", "/nothing").status, try await server.send("GET", "/openapi.json").status,
                try await server.send("GET", "/instant/v1/session").status,
                try await server.client(old, "GET", "session").status,
            ]
            #expect(statuses == [404, 200, 401, 401])
            for path in ["/nothing", "/openapi.json", "/instant/v1/session", "/api/nothing"] {
                let limited = try await server.send("GET", path)
                #expect((limited.status, limited.headers["retry-after"]) == (429, "1"), "\(path)")
            }
            #expect(try await server.send("POST", "/healthcheck").status == 429)
            // A load balancer gets its answer, whatever comes from its address.
            for path in ["/healthcheck", "/readiness"] { #expect(try await server.send("GET", path).status == 200) }
            #expect(try await server.client(server.mint.token(TokenClaims()), "GET", "session").status == 200)
            #expect(try await server.backend("GET", "/api/documents").status == 200)
            let line = #"postilla_limited_requests_total{limit="unauthenticated-requests-per-second"} 5"#
            #expect(try await server.figures().contains(line + "\n"))
            server.clock.advance(seconds: 1)
            #expect(try await server.send("GET", "/nothing").status == 404)
        }
    }

    @Test func anUnconfiguredProxyIsReportedOnce() async throws {
        for behindProxy in [false, true] {
            let log = RecordedLog()
            try await RunningServer.run {
                $0.behindProxy = behindProxy
                $0.logger = log.logger
            } _: { server in
                for _ in 0..<3 {
                    _ = try await server.send("GET", "/healthcheck", headers: [("X-Forwarded-For", "1.2.3.4")])
                }
            }
            let warnings = log.text.split(separator: "\n").filter { $0.contains("X-Forwarded-For") }
            #expect(warnings.count == (behindProxy ? 0 : 1))
        }
    }

    @Test func tokensThatHaveMerelyEndedAreNoAttack() async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 2
        } _: { server in
            try await server.upload()
            let old = try server.mint.token(TokenClaims(expires: TestClock.start + -1000))
            for _ in 0..<10 { #expect(try await server.client(old, "GET", "session").reason == "token_expired") }
        }
    }

    /// Whoever has a token that a key of the server signed guesses nothing, whatever its claims are.
    @Test func signedTokensThatAreRefusedAreNoAttack() async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 2
        } _: { server in
            try await server.upload()
            let payloads = [
                #"{"permissions":"all","exp":1900000000}"#, "[]", "no JSON",
                TokenClaims(user: "ana\u{202E}").payload,
            ]
            for payload in payloads {
                let token = try server.mint.token(payload)
                for _ in 0..<5 {
                    let answer = try await server.client(token, "GET", "session")
                    #expect((answer.status, answer.reason) == (401, "token_malformed"), "\(payload)")
                }
            }
            // A forged one with the same defect still counts.
            let forged = String(try server.mint.token(payloads[0]).dropLast(8)) + "AAAAAAAA"
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await server.client(forged, "GET", "session").status) }
            #expect(statuses == [401, 401, 429])
        }
    }

    @Test(arguments: [false, true])
    func behindAProxyTheClientIsWhoTheProxySays(_ behindProxy: Bool) async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 2
            $0.behindProxy = behindProxy
        } _: { server in
            var statuses: [Int] = []
            // The client itself may have invented everything before the last address.
            for address in ["1.2.3.4, 203.0.113.7", "203.0.113.7:4711", "5.6.7.8, 203.0.113.7:4712", "203.0.113.8"] {
                let headers = [("Authorization", "Token token=no"), ("X-Forwarded-For", address)]
                statuses.append(try await server.send("GET", "/api/documents", headers: headers).status)
            }
            #expect(statuses == [401, 401, 429, behindProxy ? 401 : 429])
        }
    }

    @Test func aTokenHasSoManyStreams() async throws {
        try await RunningServer.run {
            $0.service.streamsPerToken = 2
            $0.service.streams = 3
        } _: { server in
            try await server.upload()
            let (ana, bo) = (try server.mint.token(TokenClaims()), try server.mint.token(TokenClaims(user: "bo")))
            var open = [try await EventReader(server, ana), try await EventReader(server, ana)]
            let third = try await server.client(ana, "GET", "events")
            #expect((third.status, third.headers["retry-after"]) == (429, "10"))
            #expect(try await server.client(ana, "GET", "session").status == 200)
            open.append(try await EventReader(server, bo))
            #expect(open.map(\.status) == [200, 200, 200])
            let full = try await server.client(bo, "GET", "events")
            #expect((full.status, full.reason) == (429, "too_many_requests"))
            // Closing a stream frees its slot.
            open.removeAll()
            try await waitUntil("the server has no stream left") { server.server.listenerCount == 0 }
            while true {
                let again = try await EventReader(server, ana)
                if again.status == 200 { break }
            }
        }
    }

    @Test func moreTokensGiveAUserNoMoreStreams() async throws {
        try await RunningServer.run {
            $0.service.streamsPerToken = 2
        } _: { server in
            try await server.upload()
            let tokens = try (0..<3).map { try server.mint.token(TokenClaims(id: "\($0)")) }
            let open = [try await EventReader(server, tokens[0]), try await EventReader(server, tokens[1])]
            #expect(open.map(\.status) == [200, 200])
            let third = try await server.client(tokens[2], "GET", "events")
            #expect((third.status, third.headers["retry-after"]) == (429, "10"))
            withExtendedLifetime(open) {}
        }
    }

    @Test func connectionsBeyondTheLimitWaitForAPlace() async throws {
        try await RunningServer.run {
            $0.service.connections = 1
        } _: { server in
            let door = Door()
            let ask = "GET /healthcheck HTTP/1.1\r\nHost: here\r\n\r\n"
            try await withThrowingTaskGroup(of: Bool.self) { group in
                try await RawConnection.open(server) { first in
                    try await first.send(ask)
                    #expect(try await first.read(until: "ok").contains("200 OK"))
                    group.addTask {
                        try await RawConnection.open(server) { second in
                            try await second.send(ask)
                            _ = try await second.read(until: "ok")
                            return door.isFree
                        }
                    }
                    try await first.send(ask)
                    _ = try await first.read(until: "ok")
                    door.leave()
                }
                for try await waited in group { #expect(waited) }
            }
        }
    }

    private final class Door: Sendable {
        private let hasLeft = Mutex(false)
        var isFree: Bool { hasLeft.withLock { $0 } }
        func leave() { hasLeft.withLock { $0 = true } }
    }

    @Test func pdfsBeyondTheLineAreTurnedAway() async throws {
        let tool = try WaitingTool()
        try await RunningServer.run {
            $0.service.pdfJobs = 1
            $0.service.waitingPDFJobs = 1
            $0.tools = tool.tools
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            async let worked = server.upload("worked").status
            try await waitUntil("a PDF is worked on") {
                try await server.figures().contains("postilla_pdf_jobs_running 1\n")
            }
            async let waiting = server.upload("waiting").status
            try await waitUntil("a PDF waits") {
                try await server.figures().contains("postilla_pdf_jobs_waiting 1\n")
            }
            let turnedAway = try await server.upload("late")
            #expect((turnedAway.status, turnedAway.reason) == (429, "too_many_requests"))
            #expect(turnedAway.headers["retry-after"] == "5")
            try tool.letGo(2)
            #expect(try await [worked, waiting] == [200, 200])
            let list = try await server.backend("GET", "/api/documents").json["data"]?.array
            #expect(Set(list?.compactMap { $0["document_id"]?.string } ?? []) == ["worked", "waiting"])
        }
    }

    @Test func oneJobIsKeptForSmallFiles() async throws {
        var limits = ServiceLimits()
        limits.pdfJobs = 2
        let work = PDFWork(limits, metrics: ServerMetrics())
        let (stream, release) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await work.perform(on: PDFWork.largeFile) { for await _ in stream { break } }
                }
            }
            try await waitUntil("one large file is worked on") { work.running == 1 && work.waiting == 2 }
            #expect(try await work.perform(on: PDFWork.largeFile - 1) { work.running } == 2)
            release.finish()
            try await group.waitForAll()
        }
        #expect(work.running == 0 && work.waiting == 0)
    }
}
