import Annotations
import Authorization

/// What one token lets its bearer do and another one does not, in the words of their claims.
struct RightsChange: Equatable, Sendable {
    private(set) var lost: [String] = []
    private(set) var gained: [String] = []
    /// What is neither more nor less, each in a sentence.
    private(set) var others: [String] = []

    /// - Parameter old: nil: nothing was accepted yet, so that all of it is new.
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

    /// A token may list more than anybody reads.
    private static func list(_ words: [String]) -> String {
        words.prefix(6).joined(separator: ", ") + (words.count > 6 ? " and \(words.count - 6) more" : "")
    }
}

extension Grant {
    /// Whether a token that says this is for the copy of a layer on this machine: each user has one of their own.
    func isFor(_ reference: LayerReference) -> Bool {
        documentID.isExactly(reference.documentID) && layer.isExactly(reference.layer)
            && userID.isExactly(reference.userID)
    }
}
