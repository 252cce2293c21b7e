import Annotations
import InstantCore

/// A record as a row of a list.
enum RecordRow {
    static let columns = [
        Listing.Column("id", 26), .init("page", 4), .init("kind", 14), .init("author", 12), .init("changed", .moment),
        .init("state", 9), .init("text", .rest), .init("review", .note),
    ]

    /// The members of a record in JSON.
    static let members = ["content", "createdBy", "updatedBy", "group"]

    static func fields(_ row: ListRow) -> [String] {
        [
            row.id, row.pageIndex.map { "\($0 + 1)" } ?? "", row.name, row.author ?? row.createdBy ?? "",
            row.changedAt?.iso8601 ?? "", row.delivery.rawValue, row.text, row.review?.rawValue ?? "",
        ]
    }

    /// Gives rows of a PDF's records the state that they have in the file.
    static func inFile(_ row: ListRow, _ states: [ByteOrdered: DeliveryState]) -> ListRow {
        guard row.delivery == .delivered, let state = states[ByteOrdered(row.id)] else { return row }
        var row = row
        row.delivery = state
        return row
    }

    static func style(_ row: ListRow) -> Paint.Style {
        switch row.delivery {
        case .conflict, .refused: .trouble
        case .unsent, .parked: .attention
        case .delivered: row.isUnread ? .fresh : .plain
        }
    }
}
