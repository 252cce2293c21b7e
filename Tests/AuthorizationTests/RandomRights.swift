import Annotations
import Authorization
import TestSupport

/// Random tokens and records over few names, so that matches are common.
enum RandomRights {
    private static let names: [String?] = [nil, "ana", "ben", "null", "\u{E9}", "e\u{301}"]

    static func grant(_ random: inout SeededRandom) -> Grant {
        var general = Set(GeneralPermission.allCases)
        if random.chance(1, of: 6), let lost = general.randomElement(using: &random) { general.remove(lost) }
        let count = Int.random(in: 0...5, using: &random)
        return Grant(
            documentID: "contract", userID: random.chance(1, of: 8) ? nil : random.pick(names.compactMap { $0 }),
            general: general,
            collaboration: random.chance(1, of: 8) ? nil : (0..<count).map { _ in permission(&random) },
            defaultGroup: random.pick(names), expiresAt: Timestamp(seconds: 4_000_000_000))
    }

    static func permission(_ random: inout SeededRandom) -> Permission {
        let scope: Permission.Scope =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .all
            case 1: .own
            case 2, 3: .createdBy(random.pick(names))
            default: .group(random.pick(names))
            }
        let action = random.pick(Permission.Action.allCases)
        return Permission(action == .reply ? .comments : random.pick(ContentType.allCases), action, scope)
    }

    static func subject(_ random: inout SeededRandom) -> Subject {
        Subject(random.pick(ContentType.allCases), createdBy: random.pick(names), group: random.pick(names))
    }

    static func operation(_ random: inout SeededRandom) -> Operation {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .view(subject(&random))
        case 1: .edit(subject(&random))
        case 2: .delete(subject(&random))
        case 3: .createAnnotation(group: random.pick(names))
        case 4: .createComment(root: subject(&random), first: random.chance(1, of: 2), group: random.pick(names))
        default: .move(subject(&random), to: random.pick(names))
        }
    }
}
