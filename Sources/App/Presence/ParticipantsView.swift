import Annotations
import InstantCore
import Screen

extension AppState {
    /// Returns all participants with full names, and how to join.
    func participantLines(columns: Int) -> [CleanText] {
        guard let presence = document?.presence, presence.isShown else { return [] }
        return peopleLines(of: presence, columns: columns) + invitationLines(columns: columns)
    }

    private func invitationLines(columns: Int) -> [CleanText] {
        guard let invitation else { return [] }
        return ["To join from a second terminal:"] + CleanText(cleaning: invitation).wrapped(to: columns)
    }

    private func peopleLines(of presence: PresenceState, columns: Int) -> [CleanText] {
        guard document?.status.connection == .live else { return ["Who else is here is unknown: no connection."] }
        guard !presence.people.isEmpty else { return ["No one else has this layer open."] }
        let names = presence.people.map { CleanText(cleaning: $0.fullName) }
        let width = min(names.map(\.width).max() ?? 0, max(8, columns - 24))
        let lines = zip(presence.people, names).map { person, name in
            name.truncated(to: width).padded(to: width) + CleanText(cleaning: person.standing)
        }
        return lines.count > 8 ? lines.prefix(7) + ["and \(lines.count - 7) more"] : lines
    }
}

extension Canvas {
    mutating func drawParticipants(_ state: AppState, in area: Area) {
        let count = state.document?.presence.people.count ?? 0
        rule(
            "Other participants: \(count) (Esc to close)", row: area.row, column: area.column, columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.cardTitle)
        let inside = area.split(top: 1).rest.inset(columns: 1)
        for (row, line) in state.participantLines(columns: inside.columns).prefix(inside.rows).enumerated() {
            write(line.truncated(to: inside.columns), in: inside, row: row)
        }
    }
}

extension LayerPerson {
    /// `Ana Alba (ana)`
    fileprivate var fullName: String {
        guard let name, let userID, !name.isExactly(userID) else { return shownName }
        return "\(name) (\(userID))"
    }

    fileprivate var standing: String {
        (whereabouts.pageIndex.map { "  on page \($0 + 1)" } ?? "") + (isPresenting ? "  presenting" : "")
    }
}
