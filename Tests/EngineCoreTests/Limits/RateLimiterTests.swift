import EngineCore
import TestSupport
import Testing

struct RateLimiterTests {
    /// Ten per second, with a burst of three.
    private let pace = RateLimiter<String>.Rate(interval: .milliseconds(100), burst: 3)

    @Test func soManyAtOnceAndThenOneAfterTheOther() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<3 { #expect(limiter.take("ana", at: .seconds(5)) == nil) }
        #expect(limiter.take("ana", at: .seconds(5)) == .milliseconds(100))
        #expect(limiter.take("ana", at: .milliseconds(5_099)) == .milliseconds(1))
        #expect(limiter.take("ana", at: .milliseconds(5_100)) == nil)
        #expect(limiter.take("ana", at: .milliseconds(5_100)) == .milliseconds(100))
    }

    @Test func whatIsRefusedCostsNothing() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<100 { _ = limiter.take("ana", at: .zero) }
        #expect(limiter.take("ana", at: .milliseconds(100)) == nil)
    }

    @Test func nobodyPaysForAnother() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<10 { _ = limiter.take("ana", at: .zero) }
        #expect(limiter.take("bo", at: .zero) == nil)
    }

    @Test func afterARestItIsAsIfNothingHadBeen() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<3 { _ = limiter.take("ana", at: .zero) }
        for _ in 0..<3 { #expect(limiter.take("ana", at: .seconds(60)) == nil) }
        #expect(limiter.take("ana", at: .seconds(60)) != nil)
    }

    @Test func aClockThatIsSetBackMakesNobodyWaitForItAndIsNoFreePass() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<3 { _ = limiter.take("ana", at: .seconds(1_000)) }
        for _ in 0..<3 { #expect(limiter.take("ana", at: .seconds(10)) == nil) }
        #expect(limiter.take("ana", at: .seconds(10)) == .milliseconds(100))
    }

    @Test func lookingCountsNothing() {
        var limiter = RateLimiter<String>(pace)
        for _ in 0..<10 { #expect(limiter.wait("ana", at: .zero) == nil) }
        for _ in 0..<3 { #expect(limiter.take("ana", at: .zero) == nil) }
        #expect(limiter.wait("ana", at: .zero) == .milliseconds(100))
    }

    @Test func theTableDoesNotGrow() {
        var limiter = RateLimiter<Int>(.init(interval: .seconds(1), burst: 2), capacity: 100)
        for stranger in 0..<10_000 {
            _ = limiter.take(stranger, at: .milliseconds(stranger))
            #expect(limiter.count <= 100)
        }
    }

    @Test func whoOwesMostIsForgottenLast() {
        var limiter = RateLimiter<Int>(.init(interval: .seconds(60), burst: 50), capacity: 10)
        for _ in 0..<50 { _ = limiter.take(-1, at: .zero) }
        for stranger in 0..<1_000 { _ = limiter.take(stranger, at: .zero) }
        #expect(limiter.wait(-1, at: .zero) != nil)
    }

    /// In any order of requests, never more than a burst plus what the rate allows.
    @Test(arguments: 0..<20) func neverMoreThanThePaceAllows(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var limiter = RateLimiter<String>(pace)
        var (now, granted) = (0, 0)
        for _ in 0..<2_000 {
            now += Int.random(in: 0...40, using: &random)
            if limiter.take("ana", at: .milliseconds(now)) == nil { granted += 1 }
        }
        #expect(granted <= 3 + now / 100)
        #expect(granted >= now / 100)
    }
}
