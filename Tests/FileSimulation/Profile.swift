import TestSupport

/// The parameters of one history. The seed enables or disables every hazard: a history with few hazards tests each more
/// deeply than one with all of them.
struct Profile {
    var weights: [Happening: Int] = [:]
    private var table: [Happening] = []
    var steps: Int
    var hasTwoFiles: Bool
    /// Whether windows are private, in some sessions.
    var hasPrivate: Bool
    /// Whether some records cannot be written.
    var hasPoison: Bool
    /// Whether the file cannot be appended to.
    var isRewritten: Bool
    /// Whether the file system can exchange two names.
    var canExchange: Bool
    /// Whether the system tells that a program is writing.
    var showsWriters: Bool
    /// How often an effect fails, of 100.
    var failures: Int
    /// How often the engine is killed within an effect, of 100.
    var kills: Int
    /// How often a program comes between two steps of an effect, of 100.
    var gaps: Int

    init(_ dice: inout SeededRandom) {
        steps = Int.random(in: 30...160, using: &dice)
        hasTwoFiles = dice.chance(1, of: 6)
        hasPrivate = dice.chance(1, of: 4)
        hasPoison = dice.chance(1, of: 6)
        isRewritten = dice.chance(1, of: 6)
        canExchange = dice.chance(9, of: 10)
        showsWriters = dice.chance(3, of: 4)
        failures = dice.chance(1, of: 2) ? 0 : dice.pick([2, 8, 20])
        kills = dice.chance(1, of: 2) ? 0 : dice.pick([1, 5])
        gaps = dice.chance(1, of: 2) ? 0 : dice.pick([5, 20])
        for happening in Happening.allCases {
            weights[happening] =
                happening.isHazard && dice.chance(3, of: 5) ? 0 : happening.weight * dice.pick([1, 1, 1, 3])
        }
        for happening in Happening.allCases {
            table += Array(repeating: happening, count: weights[happening, default: 0])
        }
    }

    func draw(_ dice: inout SeededRandom) -> Happening { dice.pick(table) }

    var summary: String {
        let hazards = Happening.allCases.filter { $0.isHazard && weights[$0, default: 0] > 0 }.map(\.rawValue)
        let traits = [
            hasTwoFiles ? "two files" : nil, hasPrivate ? "private windows" : nil, hasPoison ? "poison" : nil,
            isRewritten ? "rewritten" : nil, canExchange ? nil : "no exchange", showsWriters ? nil : "unseen writers",
            failures > 0 ? "failures \(failures)" : nil, kills > 0 ? "kills \(kills)" : nil,
            gaps > 0 ? "gaps \(gaps)" : nil,
        ].compactMap { $0 }
        return "\(steps) steps; \((traits + hazards).joined(separator: ", "))"
    }
}

/// One step of the schedule.
enum Happening: String, CaseIterable {
    case work, openWindow, closeWindow, edit, write, resolve, tick, notice, load, save, startEngine
    case killWindow, revert, share, killEngine, losePower, restore, typeset, remove, hang, jump, removeLock,
        earlierEngine

    var isHazard: Bool {
        switch self {
        case .work, .openWindow, .closeWindow, .edit, .write, .resolve, .tick, .notice, .load, .save: false
        default: true
        }
    }

    var weight: Int {
        switch self {
        case .work: 120
        case .edit: 24
        case .save: 14
        case .write, .load: 10
        case .openWindow, .tick, .notice: 6
        case .resolve, .closeWindow, .killEngine: 4
        case .restore, .startEngine, .killWindow, .hang: 3
        case .revert, .losePower, .remove, .jump, .earlierEngine, .typeset: 2
        case .share, .removeLock: 1
        }
    }
}
