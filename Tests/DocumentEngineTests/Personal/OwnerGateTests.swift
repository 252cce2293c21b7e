import Logging
import Testing

@testable import DocumentEngine

struct OwnerGateTests {
    /// Another account that tries again and again does not fill the log.
    @Test func refusedConnectionsAreMentionedNowAndThen() {
        let gate = OwnerGate(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let start = ContinuousClock.now
        #expect(gate.refuse(at: start) == 1)
        for second in 1..<60 { #expect(gate.refuse(at: start + .seconds(second)) == nil) }
        #expect(gate.refuse(at: start + .seconds(60)) == 60)
        #expect(gate.refuse(at: start + .seconds(61)) == nil)
        #expect(gate.refuse(at: start + .seconds(600)) == 2)
    }
}
