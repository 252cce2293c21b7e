import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// The group of new records, and what the user may do with each record.
@Suite struct GroupTests {
    private func stage(_ rights: [Permission]? = nil, columns: Int = 80) -> Stage {
        let services = Sample.services()
        services.opened.status.grant?.collaboration = rights
        services.opened.status.grant?.defaultGroup = "first"
        return Stage(services, columns: columns)
    }

    @Test func theGroupOfNewRecordsIsChosenAndTakenBack() throws {
        let stage = stage()
        try stage.press("a")
        #expect(stage.screen.contains("New note on page 1, group first"))
        try stage.press("<esc>:default-group second round<enter>")
        #expect(stage.foot.contains("Group of new records: second round; :default-group without a name to reset"))
        try stage.press("a")
        #expect(stage.screen.contains("New note on page 1, group second round"))
        try stage.press("<esc>:default-group \"\"<enter>")
        #expect(stage.foot.contains("Group of new records: none"))
        try stage.press(":default-group<enter>")
        #expect(stage.foot.contains("Group of new records: first; from the token"))
        let choices = stage.asked.compactMap { effect -> LayerMetadata.GroupChoice?? in
            if case .setDefaultGroup(let choice) = effect { .some(choice) } else { nil }
        }
        #expect(choices == [.init(group: "second round"), .init(group: nil), nil])
    }

    @Test func aGroupThatMayNotBeGivenIsRefusedWithTheReason() throws {
        let stage = stage([
            Permission(.annotations, .view, .all), Permission(.annotations, .setGroup, .group("second")),
        ])
        try stage.press(":default-group third<enter>")
        #expect(stage.foot.contains("Needs annotations:set-group:"))
        #expect(!stage.asked.contains { if case .setDefaultGroup = $0 { true } else { false } })
        try stage.press(":default-group second<enter>")
        let second = Effect.setDefaultGroup(LayerMetadata.GroupChoice(group: "second"))
        #expect(stage.asked.contains(second))
    }

    @Test func whoWillNotSeeANewRecordIsWarnedBeforeWriting() throws {
        let stage = stage([Permission(.annotations, .view, .createdBy("ben"))], columns: 120)
        try stage.press("a")
        #expect(stage.screen.contains("You will not see this annotation: viewing it needs annotations:view:self"))
        let sighted = self.stage([Permission(.annotations, .view, .group("first"))], columns: 120)
        try sighted.press("a")
        #expect(!sighted.screen.contains("You will not see"))
    }

    @Test func wideRowsSayWhatMayNotBeDone() {
        let stage = stage(
            [
                Permission(.annotations, .view, .all), Permission(.annotations, .edit, .own),
                Permission(.annotations, .delete, .createdBy("ben")),
            ], columns: 260)
        #expect(stage.lines.contains { $0.contains("Which ones?") && $0.contains("read-only: not yours") })
        #expect(stage.lines.contains { $0.contains("ben") && $0.contains("delete only") })
        #expect(stage.lines.contains { $0.contains(" me ") && $0.contains("no delete") })
    }

    @Test func theDetailSaysItInFull() throws {
        let stage = stage(
            [Permission(.annotations, .view, .all), Permission(.annotations, .delete, .all)], columns: 200)
        #expect(stage.screen.contains("you may delete; you"))
        #expect(stage.screen.contains("not edit: needs annotations:edit:"))
    }
}
