import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// A wide row also shows when and by whom it was last changed, and what the user may do with it.
@Suite struct WideRowTests {
    private func services() -> FakeServices {
        let services = Sample.services()
        services.records[1].updatedBy = "carla"
        services.records[2].updatedBy = "mia"
        services.records[3].group = "readers"
        return services
    }

    private func rows(_ columns: Int, _ services: FakeServices) throws -> [String] {
        let stage = Stage(services, rows: 40, columns: columns)
        try stage.press(":reading<enter>")
        let rows = stage.lines.filter { $0.contains(" ana ") || $0.contains(" ben ") || $0.contains(" me ") }
        return rows.filter { !$0.contains(" by ") }
            .map { String($0.drop { $0 != "│" }.dropFirst()) }
    }

    @Test func dateAndLastEditorBesideTheReadingView() throws {
        let rows = try rows(200, services())
        #expect(rows[0].hasSuffix(" 2026-05-30 11:55            5m"))
        #expect(rows[1].hasSuffix(" 2026-05-30 10:00  carla     2h"))
        #expect(rows[2].hasSuffix(" 2026-05-29 12:00  me        1d"))
        #expect(rows[3].hasPrefix("  N 2 ana readers     Compare with the 2019 paper, section 4"))
        #expect(rows.allSatisfy { $0.count < 117 })
    }

    @Test func rightsHaveAColumnOnlyWhereTheyDiffer() throws {
        let services = services()
        var grant = Grant.hotos()
        grant.collaboration = [Permission(.annotations, .view, .all), Permission(.annotations, .edit, .own)]
        services.opened.status = .live(grant)
        let rows = try rows(220, services)
        #expect(rows[1].contains("read-only: not yours  2026-05-30 10:00  carla"))
        #expect(try self.rows(220, self.services()).allSatisfy { !$0.contains("read-only") })
    }

    @Test func theDateIsByTheClockOfThePerson() {
        let row = ListRow(
            annotation: Annotation(Sample.services().records[0]), createdBy: nil, updatedBy: "\u{1B}[2Jx", group: nil)
        let line = text(of: row, columns: 120, utcOffset: 7200)
        #expect(line.contains("2026-05-30 13:55"))
        #expect(!line.contains("\u{1B}"))
        #expect(line.count == 120)
    }

    @Test func narrowerOnesGoWithoutAndKeepStateAndKind() throws {
        #expect(try rows(160, services()).allSatisfy { !$0.contains("2026-") })
        for columns in 30...300 {
            var row = ListRow(
                annotation: Annotation(Sample.services().records[0]), createdBy: nil, updatedBy: nil, group: nil)
            row.isUnread = true
            let line = text(of: row, columns: columns, hasMarks: true)
            #expect(line.count <= columns)
            #expect(line.hasPrefix(" *H"))
        }
    }

    private func text(of row: ListRow, columns: Int, utcOffset: Int = 0, hasMarks: Bool = false) -> String {
        let document = DocumentState(Sample.services().opened)
        let format = RowFormat(
            columns: columns, rows: [row], document, hasMarks: hasMarks, utcOffset: utcOffset, at: .noon, art: .unicode)
        return format.lines(row, document, max: 1)[0].map(\.text.string).joined()
    }
}
