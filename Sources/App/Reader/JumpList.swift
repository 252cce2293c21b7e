import Annotations

/// The places before and after jumps, for going back and forward.
struct JumpList: Equatable, Sendable {
    struct Place: Equatable, Sendable {
        var focus: DocumentState.Pane
        var page: Int
        var glyph: Int
        var row: Record.ID?
    }

    private var behind: [Place] = []
    private var ahead: [Place] = []
    private static let maxCount = 100

    mutating func leave(_ place: Place) {
        ahead = []
        guard behind.last != place else { return }
        behind.append(place)
        if behind.count > Self.maxCount { behind.removeFirst() }
    }

    mutating func back(from place: Place) -> Place? {
        guard let target = behind.popLast() else { return nil }
        ahead.append(place)
        return target
    }

    mutating func forward(from place: Place) -> Place? {
        guard let target = ahead.popLast() else { return nil }
        behind.append(place)
        return target
    }
}
