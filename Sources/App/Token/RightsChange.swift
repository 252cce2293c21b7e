import Annotations
import Authorization

/// The differences between the permissions of two tokens, in the words of their claims.
struct RightsChange: Equatable, Sendable {
    private(set) var lost: [String] = []
    private(set) var gained: [String] = []
    /// Changes that are neither a loss nor a gain, as sentences.
    private(set) var others: [String] = []

    /// - Parameter old: nil if no token was accepted before, so that all permissions are new.
    init(from old: Grant?, to new: Grant) {
        let words = { (general: Set<GeneralPermission>) in general.map(\.rawValue).sorted() }
        lost = words((old?.general ?? []).subtracting(new.general))
        gained = words(new.general.subtracting(old?.general ?? []))
        switch (old?.collaboration, new.collaboration) {
        case (let before?, let after?):
            lost += before.filter { !after.contains($0) }.map(\.description)
            gained += after.filter { !before.contains($0) }.map(\.description)
        case (nil, let after?):
            let rights = after.isEmpty ? "nothing" : Self.list(after.map(\.description))
            others.append("Records limited to: \(rights).")
        case (_?, nil): others.append("No longer limited to certain records.")
        case (nil, nil): break
        }
        guard let old else { return }
        if !old.defaultGroup.isExactly(new.defaultGroup) {
            others.append("Group of new records: \(Self.name(old.defaultGroup)) -> \(Self.name(new.defaultGroup)).")
        }
        if !old.creatorName.isExactly(new.creatorName), let name = new.creatorName {
            others.append("Author: \(name).")
        }
    }

    var isEmpty: Bool { lost.isEmpty && gained.isEmpty && others.isEmpty }

    /// `Lost: write. New: annotations:edit:all.`
    var sentence: String {
        let parts = [
            lost.isEmpty ? nil : "Lost: \(Self.list(lost)).", gained.isEmpty ? nil : "New: \(Self.list(gained)).",
        ]
        return (parts.compactMap(\.self) + others).joined(separator: " ")
    }

    private static func name(_ group: String?) -> String { group ?? "none" }

    /// Truncated, because a token can list very many entries.
    private static func list(_ words: [String]) -> String {
        words.prefix(6).joined(separator: ", ") + (words.count > 6 ? " and \(words.count - 6) more" : "")
    }
}

extension Grant {
    /// Returns whether the token is for this copy of a layer. Each user has a separate copy.
    func isFor(_ reference: LayerReference) -> Bool {
        documentID.isExactly(reference.documentID) && layer.isExactly(reference.layer)
            && userID.isExactly(reference.userID)
    }
}
