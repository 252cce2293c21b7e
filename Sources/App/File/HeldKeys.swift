import Authorization
import Screen

/// A command that changes annotations, given before the file could be edited, and the keys after it. They take effect
/// once it can: a person who types `a` and a note at once must neither wait nor have the note read as commands.
struct HeldKeys: Equatable, Sendable {
    var command: Command
    var count: Int?
    var keys: [Key] = []
}

extension AppState {
    /// Whether a command is unavailable only until the file can be edited.
    func waitsForFile(_ command: Command) -> Bool {
        document?.isOpeningForEdits == true && fullDenial(of: command) == EditDenial.opening.description
    }

    mutating func hold(_ command: Command, count: Int?) -> [Effect] {
        document?.heldKeys = HeldKeys(command: command, count: count)
        return sayHeld()
    }

    /// Keeps a key for later; Esc and Ctrl-C drop what is kept.
    mutating func hold(_ key: Key) -> [Effect] {
        if key == .escape || key == .control("c") {
            document?.heldKeys = nil
            return only(.done("Cancelled"))
        }
        document?.heldKeys?.keys.append(key)
        return sayHeld()
    }

    private mutating func sayHeld() -> [Effect] {
        only(.done("Opening \(document?.file?.name ?? "the file") for editing ... Esc to cancel"))
    }

    /// Runs what was held, once the file can be edited; drops it if it cannot.
    mutating func releaseHeldKeys() -> [Effect] {
        guard let document, let held = document.heldKeys, !document.isOpeningForEdits else { return [] }
        self.document?.heldKeys = nil
        // It may say that nothing can be edited, which is not to be hidden by an older sentence.
        if notice?.kind == .done { notice = nil }
        guard document.editDenial({ _ in .createAnnotation(group: document.groupForNew) })?.isOfFile != true else {
            return []
        }
        var effects = run(held.command, count: held.count)
        for key in held.keys {
            // What opens first when an answer arrives must not get the keys that are meant for it as commands.
            if effects.contains(where: \.opensLater) { break }
            effects += pressed(key)
        }
        return effects
    }
}

extension Effect {
    /// Whether the answer opens a question or an editor.
    fileprivate var opensLater: Bool {
        switch self {
        case .loadBatch, .editExternally: true
        default: false
        }
    }
}

extension DocumentState {
    /// Whether the file is shown, but cannot be edited yet.
    var isOpeningForEdits: Bool { editDenial { _ in .createAnnotation(group: groupForNew) } == .opening }
}
