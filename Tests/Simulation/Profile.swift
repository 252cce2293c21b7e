import Annotations
import TestSupport

/// The parameters of one seed's history. The seed enables or disables every hazard: a history with few hazards tests
/// each more deeply than one with all of them.
struct Profile {
    /// The relative frequency of each happening; 0 is never.
    var weights: [Happening: Int] = [:]
    var devices: Int
    /// Whether some devices have a second process on the same store.
    var hasSecondProcesses: Bool
    var layers: [String]
    var steps: Int
    /// Whether tokens have collaboration permissions.
    var hasRules: Bool
    var hasAnonymous: Bool
    /// The lifetime of a token, in milliseconds.
    var tokenLife: Int64
    /// Whether people create annotations for their threads, and change the flag in later contents.
    var startsThreads: Bool
    /// Whether a client without the library pushes too.
    var hasStranger: Bool
    /// Whether processes on one store are stopped for a while.
    var stopsProcesses: Bool
    /// Whether something on the way to the server refuses some texts.
    var hasFirewall: Bool

    /// - Parameter later: Decides features that were added later, so that older seeds give the same histories.
    init(_ dice: inout SeededRandom, _ later: inout SeededRandom) {
        startsThreads = later.chance(2, of: 3)
        hasStranger = later.chance(1, of: 2)
        stopsProcesses = later.chance(1, of: 2)
        hasFirewall = later.chance(1, of: 3)
        devices = Int.random(in: 2...4, using: &dice)
        hasSecondProcesses = dice.chance(1, of: 4)
        layers = dice.chance(1, of: 6) ? ["", "review"] : [""]
        steps = Int.random(in: 40...220, using: &dice)
        hasRules = dice.chance(1, of: 2)
        hasAnonymous = dice.chance(1, of: 8)
        tokenLife = dice.chance(1, of: 5) ? 20_000 : 10_000_000
        for happening in Happening.allCases {
            weights[happening] =
                happening.isHazard && dice.chance(1, of: 2) ? 0 : happening.weight * dice.pick([1, 1, 1, 3])
        }
    }

    /// A description for the head of a trace.
    var summary: String {
        let hazards = Happening.allCases.filter { $0.isHazard && weights[$0, default: 0] > 0 }.map(\.rawValue)
        let more =
            (startsThreads ? ", threads" : "") + (hasStranger ? ", a stranger" : "")
            + (hasFirewall ? ", a firewall" : "")
        return "\(devices) devices, \(steps) steps\(more); \(hazards.joined(separator: ", "))"
    }
}

/// One step of the schedule.
enum Happening: String, CaseIterable {
    case deliver, edit, reply, delete, undo, settle, discard, time, nudge
    case drop, double, late, cutAnswer, cutStream, silentStream
    case crashClient, crashServer, storeFault, serverStoreFault
    case expire, revoke, newToken, newRights, forgetToken
    case jumpClient, jumpServer
    case backend, move, prune, overwrite, offline, proxy, backup, restore

    /// The first row of cases and `newToken` are active in every history.
    var isHazard: Bool {
        switch self {
        case .deliver, .edit, .reply, .delete, .undo, .settle, .discard, .time, .nudge, .newToken: false
        default: true
        }
    }

    var weight: Int {
        switch self {
        case .deliver: 220
        case .edit: 40
        case .time: 30
        case .reply, .delete: 14
        case .undo: 10
        case .settle, .newToken, .backend, .move: 6
        case .drop, .double, .late, .cutAnswer, .cutStream: 8
        case .crashClient, .storeFault, .serverStoreFault, .newRights: 5
        case .discard, .nudge, .silentStream, .crashServer, .expire, .revoke, .jumpClient, .jumpServer, .offline,
            .backup:
            3
        case .forgetToken, .prune, .proxy: 2
        case .overwrite, .restore: 1
        }
    }
}
