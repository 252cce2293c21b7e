/// Something that lies over a layer or the library and has the focus.
///
/// The topmost overlay gets every key, paste and mouse event, and Esc closes exactly that one. An overlay is opened by a
/// key of the one below it, or by a message; a message opens one only while the user is not typing or choosing
/// (``AppState/mayInterrupt``). The cases are therefore always stacked in this order, the topmost first.
enum Overlay: Equatable, Sendable {
    case question, prompt, picker, help, token, conflict, editor, look, reader, lost, requests, outbox

    /// Whether it is drawn as a box in the middle of the screen.
    var isBox: Bool {
        switch self {
        case .question, .picker, .help, .token, .conflict, .look, .lost: true
        case .prompt, .editor, .reader, .requests, .outbox: false
        }
    }

    /// Whether characters are text, or keys are answers.
    var takesInput: Bool {
        switch self {
        case .question, .prompt, .picker, .token, .editor: true
        case .help, .conflict, .look, .reader, .lost, .requests, .outbox: false
        }
    }
}

extension AppState {
    /// The topmost overlay; nil if the panes or the library have the focus.
    var overlay: Overlay? {
        if let prompt { return prompt.isQuestion ? .question : .prompt }
        if picker != nil { return .picker }
        if help != nil { return .help }
        if token != nil { return .token }
        return document?.overlay
    }

    /// Whether characters are text for the topmost overlay, or answers.
    var takesInput: Bool { overlay?.takesInput == true || help?.isTyping == true && overlay == .help }

    /// Whether the response to a command may open an overlay: the user has not begun something else meanwhile.
    var isAwaiting: Bool {
        guard keys.isEmpty else { return false }
        return switch overlay {
        case .look, .reader, .outbox, .requests, nil: true
        default: false
        }
    }

    /// Whether an overlay may open that the user did not ask for.
    var mayInterrupt: Bool {
        isAwaiting && document?.page.selection == nil && document?.page.hints.isEmpty != false
    }

    /// Drops pending keys when another overlay gets the focus: they were meant for the one before.
    mutating func reconcileFocus() {
        let now = overlay
        guard now != focused else { return }
        focused = now
        keys.clear()
        letterUse = nil
    }
}

extension DocumentState {
    fileprivate var overlay: Overlay? {
        if conflict != nil { return .conflict }
        if editor != nil { return .editor }
        if look != nil { return .look }
        if reader != nil { return .reader }
        if accessLost != nil, !isLossAccepted { return .lost }
        if requests.isOpen { return .requests }
        return outbox.isOpen ? .outbox : nil
    }
}
