import FileSimulation
import Testing

/// A short slice of `make simulate-files`.
@Suite("Simulated histories of files")
struct FileSimulationTests {
    @Test func theyHold() {
        for seed in UInt64(0)..<300 {
            guard case .violated(_, let why) = FileSimulation(seed: seed).run() else { continue }
            Issue.record("seed \(seed): \(why)")
        }
    }

    @Test func aSeedGivesOneHistory() {
        let stories = (0..<2).map { _ in
            let story = Story(isKept: true)
            _ = FileSimulation(seed: 7).run(story: story)
            return story.lines
        }
        #expect(stories[0] == stories[1])
    }
}
