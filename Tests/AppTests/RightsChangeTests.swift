import Annotations
import Authorization
import Testing

@testable import App

/// The rights that a new token adds and removes.
@Suite struct RightsChangeTests {
    private func grant(_ rights: [Permission]?, _ change: (inout Grant) -> Void = { _ in }) -> Grant {
        var grant = Grant.hotos()
        grant.collaboration = rights
        change(&grant)
        return grant
    }

    private let own = [Permission(.annotations, .view, .all), Permission(.annotations, .edit, .own)]
    private let all = [Permission(.annotations, .view, .all), Permission(.annotations, .edit, .all)]

    @Test func recordByRecordWhatIsLostAndWhatIsNew() {
        let change = RightsChange(from: grant(own), to: grant(all))
        #expect(change.sentence == "Lost: annotations:edit:self. New: annotations:edit:all.")
        #expect(RightsChange(from: grant(all), to: grant(all)).isEmpty)
    }

    @Test func theClaimItselfComesAndGoes() {
        #expect(
            RightsChange(from: grant(nil), to: grant([])).sentence == "Records limited to: nothing.")
        #expect(RightsChange(from: grant(own), to: grant(nil)).sentence == "No longer limited to certain records.")
    }

    @Test func withoutAnEarlierTokenAllOfItIsNew() {
        #expect(RightsChange(from: nil, to: grant(nil)).sentence == "New: download, read-document, write.")
    }

    @Test func aLongListIsCounted() {
        let many = (0..<20).map { Permission(.annotations, .edit, .group("g\($0)")) }
        let sentence = RightsChange(from: grant(many), to: grant([])).sentence
        #expect(sentence.hasSuffix("annotations:edit:group=g5 and 14 more."))
    }

    @Test func groupsThatLookAlikeAreTwo() {
        let change = RightsChange(
            from: grant(nil) { $0.defaultGroup = "\u{E9}" }, to: grant(nil) { $0.defaultGroup = "e\u{301}" })
        #expect(!change.isEmpty)
    }
}
