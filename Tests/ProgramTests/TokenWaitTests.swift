import InstantCore
import Testing

@testable import postilla

/// The program requests a token exactly when no other source is about to provide one.
@Suite struct TokenWaitTests {
    private enum Step { case asks, nothing, found, handsOn, accepted, refused, refusedHere }

    private static let cases: [(canAskAgain: Bool, [Step], TokenNeed, isTold: Bool)] = [
        (false, [], .noneYet, true),
        (false, [.asks], .noneYet, false),
        (false, [.asks, .nothing], .noneYet, true),
        // Until the library accepts the token, its status is the old one.
        (false, [.asks, .found], .noneYet, false),
        (false, [.asks, .found, .handsOn], .noneYet, false),
        (false, [.asks, .handsOn], .noneYet, false),
        (false, [.asks, .found, .handsOn, .refused], .refused("no"), true),
        (false, [.asks, .found, .handsOn], .expired, true),
        (false, [.asks, .found, .handsOn, .accepted], .expired, true),
        // It went offline with a refused token and came back with none.
        (false, [.asks, .found, .handsOn, .accepted], .noneYet, true),
        (false, [.asks, .found, .handsOn, .refused], .noneYet, true),
        (false, [.asks, .handsOn, .refusedHere], .noneYet, true),
        // A paste that is not a token.
        (false, [.asks, .nothing, .handsOn, .refusedHere], .noneYet, true),
        (true, [], .noneYet, false),
        (true, [.asks, .found, .handsOn, .accepted], .expired, false),
        (true, [.asks, .nothing], .expired, true),
        (true, [.asks, .nothing, .handsOn, .accepted], .expired, false),
        (true, [.asks, .handsOn, .refusedHere], .noneYet, true),
        (true, [.asks], .forgotten, true),
        (false, [.asks, .found, .handsOn], .forgotten, true),
    ]

    @Test(arguments: 0..<cases.count)
    func aPersonIsTold(index: Int) {
        let (canAskAgain, steps, need, isTold) = Self.cases[index]
        var wait = TokenWait(canAskAgain: canAskAgain)
        for step in steps {
            switch step {
            case .asks: wait.asks()
            case .nothing: wait.sourceAnswered(withToken: false)
            case .found: wait.sourceAnswered(withToken: true)
            case .handsOn: wait.handsOn()
            case .accepted: wait.wasAccepted()
            case .refused: wait.wasRefused()
            case .refusedHere: wait.wasRefused(here: true)
            }
        }
        #expect(wait.shown(.needsToken(need)) == (isTold ? .needsToken(need) : .connecting))
        for other in [SyncStatus.Connection.idle, .connecting, .live, .elsewhere, .lost("gone")] {
            #expect(wait.shown(other) == other)
        }
    }
}
