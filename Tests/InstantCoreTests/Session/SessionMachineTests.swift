import Annotations
import InstantCore
import TestSupport
import Testing

private let one = TokenHandle(1)
private let two = TokenHandle(2)
private let now = Timestamp(seconds: 100)

@Suite struct SessionMachineTests {
    @Test func asksTheServerAboutATokenAndIsLiveWhenItAnswers() {
        var session = SessionMachine()
        #expect(session.state == .needsToken(.noneYet))
        #expect(session.tokenSupplied(one) == [.askSession(one)])
        #expect(session.state == .authenticating(one, before: nil))
        #expect(session.dataTicket == nil)
        #expect(session.sessionAnswered(one) == [.announceAuthenticated(one)])
        #expect(session.state == .live(one))
        #expect(session.dataTicket == one)
    }

    @Test func restsAfterARefusalWhateverCloses() {
        var session = live()
        #expect(session.refused(one, .expired) == [.closeStream, .announceNeed(.expired)])
        #expect(session.failed(at: now, delay: 500) == [])
        #expect(session.retryDue() == [])
        #expect(session.invalidated() == [])
        #expect(session.state == .needsToken(.expired))
    }

    @Test func aRefusedNewTokenLeavesTheOldOneInForce() {
        var session = live()
        #expect(session.tokenSupplied(two) == [.askSession(two)])
        #expect(session.dataTicket == one)
        #expect(session.tickets == [two, one])
        #expect(session.refused(two, .revoked) == [.announceRefused(two, .revoked)])
        #expect(session.state == .live(one))
    }

    /// The old token is as good as before, whatever happened to the connection meanwhile.
    @Test(arguments: [
        "broken while trying", "offline while trying", "waiting before", "connecting before", "offline before",
    ])
    func aNewTokenThatIsRefusedAfterABreakLeavesTheOldOneInForce(_ trouble: String) {
        var session = live()
        var asked: [SessionMachine.Action]
        switch trouble {
        case "broken while trying":
            _ = session.tokenSupplied(two)
            #expect(session.failed(at: now, delay: 700) == [.closeStream])
            asked = session.retryDue()
        case "offline while trying":
            _ = session.tokenSupplied(two)
            _ = session.wentOffline()
            asked = session.wentOnline()
        case "waiting before":
            _ = session.failed(at: now, delay: 700)
            asked = session.tokenSupplied(two)
        case "connecting before":
            _ = session.failed(at: now, delay: 700)
            _ = session.retryDue()
            asked = session.tokenSupplied(two)
        default:
            _ = session.wentOffline()
            _ = session.tokenSupplied(two)
            asked = session.wentOnline()
        }
        #expect(asked == [.askSession(two)])
        #expect(Set(session.tickets) == [one, two] && session.dataTicket == nil)
        var accepted = session
        #expect(accepted.sessionAnswered(two) == [.announceAuthenticated(two)])
        #expect(accepted.tickets == [two])
        #expect(session.refused(two, .revoked) == [.closeStream, .announceRefused(two, .revoked), .askSession(one)])
        #expect(session.sessionAnswered(one) == [])
        #expect(session.state == .live(one) && session.tickets == [one])
    }

    @Test func anOldTokenThatIsRefusedMeanwhileIsNotUsedAgain() {
        var session = live()
        _ = session.tokenSupplied(two)
        _ = session.failed(at: now, delay: 700)
        #expect(session.refused(one, .revoked) == [])
        _ = session.retryDue()
        #expect(session.refused(two, .revoked).last == .announceNeed(.revoked))
        #expect(session.state == .needsToken(.revoked))
    }

    @Test func aRefusedOldTokenDoesNotStopTheTrialOfTheNewOne() {
        var session = live()
        _ = session.tokenSupplied(two)
        #expect(session.refused(one, .expired) == [.closeStream])
        #expect(session.sessionAnswered(two) == [.announceAuthenticated(two)])
        #expect(session.state == .live(two))
    }

    @Test func whatComesLateForAnOldTokenChangesNothing() {
        var session = live()
        _ = session.tokenSupplied(two)
        _ = session.sessionAnswered(two)
        #expect(session.refused(one, .expired) == [])
        #expect(session.sessionAnswered(one) == [])
        #expect(session.state == .live(two))
    }

    @Test func theFirstTokenRefusedIsAnnouncedAsFailedAndAsNeeded() {
        var session = SessionMachine()
        _ = session.tokenSupplied(one)
        #expect(
            session.refused(one, .refused("no")) == [
                .closeStream, .announceRefused(one, .refused("no")), .announceNeed(.refused("no")),
            ])
    }

    @Test func waitsAndAsksAgainWithTheSameToken() {
        var session = live()
        #expect(session.failed(at: now, delay: 700) == [.closeStream])
        #expect(session.state == .waiting(one, until: now + 700, wasAccepted: true))
        #expect(session.failed(at: now, delay: 9) == [])
        #expect(session.failures == 1)
        #expect(session.retryDue() == [.askSession(one)])
        #expect(session.state == .connecting(one))
        // Announced once, not on every reconnect.
        #expect(session.sessionAnswered(one) == [])
        session.succeeded()
        #expect(session.failures == 0)
    }

    @Test func aTokenThatWasNeverAcceptedIsTriedAgainAfterABreak() {
        var session = SessionMachine()
        _ = session.tokenSupplied(one)
        _ = session.failed(at: now, delay: 700)
        #expect(session.retryDue() == [.askSession(one)])
        #expect(session.sessionAnswered(one) == [.announceAuthenticated(one)])
    }

    @Test func offlineKeepsTheTokenForLater() {
        var session = live()
        #expect(session.wentOffline() == [.closeStream])
        #expect(session.dataTicket == nil)
        #expect(session.failed(at: now, delay: 500) == [])
        #expect(session.tokenSupplied(two) == [])
        #expect(session.wentOnline() == [.askSession(two)])
        #expect(session.state == .authenticating(two, before: nil))
    }

    @Test func lostIsLostUntilANewTokenComes() {
        var session = live()
        #expect(session.accessLost("deleted") == [.closeStream, .announceLost("deleted")])
        #expect(session.accessLost("deleted") == [])
        #expect(session.failed(at: now, delay: 500) == [])
        #expect(session.retryDue() == [])
        #expect(session.tokenSupplied(two) == [.askSession(two)])
    }

    @Test func forgettingAsksForAnother() {
        var session = live()
        #expect(session.tokenForgotten() == [.closeStream, .announceNeed(.forgotten)])
        #expect(session.tickets.isEmpty)
    }

    /// In any order of events, a refused token is never reused automatically, and the stream closes whenever no token
    /// is available for it.
    @Test(arguments: 0..<200)
    func randomEvents(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var session = SessionMachine()
        var refused: Set<TokenHandle> = []
        var next = 1
        for _ in 0..<200 {
            let before = session.dataTicket
            let known = session.tickets.isEmpty ? TokenHandle(0) : random.pick(session.tickets)
            let actions: [SessionMachine.Action]
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                next += 1
                actions = session.tokenSupplied(TokenHandle(next))
            case 1, 2, 3: actions = session.sessionAnswered(known)
            case 4:
                refused.insert(known)
                actions = session.refused(known, .expired)
            case 5: actions = session.failed(at: now, delay: 500)
            case 6: actions = session.retryDue()
            case 7: actions = session.wentOffline()
            case 8: actions = session.wentOnline()
            default: actions = session.invalidated()
            }
            for case .askSession(let ticket) in actions {
                #expect(!refused.contains(ticket), "seed \(seed)")
                #expect(session.tickets.contains(ticket), "seed \(seed)")
            }
            if before != nil, session.dataTicket == nil { #expect(actions.contains(.closeStream), "seed \(seed)") }
            if let ticket = session.dataTicket { #expect(!refused.contains(ticket), "seed \(seed)") }
        }
    }

    private func live() -> SessionMachine {
        var session = SessionMachine()
        _ = session.tokenSupplied(one)
        _ = session.sessionAnswered(one)
        return session
    }
}

@Suite struct BackoffTests {
    @Test func staysBetweenHalfASecondAndAMinute() {
        var random = SeededRandom(seed: 7)
        for failures in 0..<100 {
            let delay = Backoff.delay(failures: failures, using: &random)
            #expect((500...60_000).contains(delay))
        }
        let firsts = (0..<200).map { _ in Backoff.delay(failures: 1, using: &random) }
        #expect(firsts.max().map { $0 <= 1000 } == true)
        let lates = (0..<200).map { _ in Backoff.delay(failures: 30, using: &random) }
        #expect(lates.max().map { $0 > 50_000 } == true)
        #expect(Set(lates).count > 100)
    }
}
