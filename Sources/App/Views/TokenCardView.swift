import Annotations
import Authorization
import InstantCore
import Screen

extension Canvas {
    mutating func drawTokenCard(_ card: TokenCard, _ state: AppState, in area: Area) {
        let isNeeded = state.document?.need != nil
        rule(
            isNeeded || state.document == nil ? "Token needed" : "A new token", row: area.row, column: area.column,
            columns: area.columns, style: state.theme.rule, titleStyle: state.theme.cardTitle)
        let inside = area.split(top: 1).rest
        write(state.tokenReason(card).truncated(to: area.columns), in: inside, row: 0)
        write(state.waitingSentence.truncated(to: area.columns), in: inside, row: 1)
        if let path = card.path {
            let label: CleanText = " File with the token: @"
            write(label, in: inside, row: 2)
            drawInput(
                path, in: inside.split(top: 2).rest.split(top: 1).top.split(left: label.width).rest,
                style: state.theme.input)
        } else {
            let received: CleanText = card.received.map { " [received \($0.count) characters]" } ?? ""
            write(
                clean(" Paste a token, or @path to a file (not shown):\(received)").truncated(to: area.columns),
                in: inside,
                row: 2)
        }
        let verdict = state.tokenVerdict(card)
        write(
            verdict.text.truncated(to: area.columns), in: inside, row: 3,
            style: verdict.isProblem ? state.theme.error : state.theme.text)
        let keys: CleanText = card.isEmpty ? "" : "     Ctrl-U clear"
        write(
            clean(" Enter use it     Esc later (T brings this back)\(keys)").truncated(to: area.columns), in: inside,
            row: 4,
            style: state.theme.dimmed)
    }
}

extension AppState {
    fileprivate func tokenReason(_ card: TokenCard) -> CleanText {
        if case .join(let server) = card.purpose { return " A token for a layer on \(server) names what is opened." }
        guard let document else { return "" }
        let name: CleanText = "\(document.title) / \(document.layerName)"
        guard let need = document.need else { return " The token for \(name) is in use." }
        switch need {
        case .noneYet: return " A token for \(name) is needed to sync."
        case .expired:
            let at = document.status.grant.map {
                " at " + RelativeTime.near($0.expiresAt, at: now, utcOffset: utcOffset)
            }
            return " The token for \(name) expired\(at ?? "")."
        case .revoked: return " The token for \(name) was revoked."
        case .refused(let why): return " The server refused the token for \(name): \(why)"
        case .forgotten: return " The token for \(name) was forgotten."
        }
    }

    /// `Waiting here, safe: 1 highlight, 2 notes. Reading and editing go on.`
    fileprivate var waitingSentence: CleanText {
        guard let document else { return " Nothing is stored before the server has accepted it." }
        let mayWrite = document.status.grant?.mayWrite ?? false
        let goesOn: CleanText = mayWrite ? "Reading and editing go on." : "Reading goes on."
        guard document.waiting > 0 else { return " Nothing waits to be sent. \(goesOn)" }
        let summary = document.outbox.summary
        let what = summary.isEmpty ? "\(document.waiting) edits" : summary
        return " Waiting here, safe: \(what). \(goesOn)"
    }

    /// What the received token says of itself, and what is lost with it.
    fileprivate func tokenVerdict(_ card: TokenCard) -> (text: CleanText, isProblem: Bool) {
        if card.isTrying { return (" Asking the server ...", false) }
        if let problem = card.problem { return (" \(problem)", true) }
        guard let grant = card.claims?.grant else { return ("", false) }
        let layer = grant.layer.isEmpty ? "default layer" : "layer \(grant.layer)"
        let user = grant.userID.map { "user \($0)" } ?? "no user"
        let until = RelativeTime.near(grant.expiresAt, at: now, utcOffset: utcOffset)
        var text: CleanText = " It says: \(user), \(layer), until \(until)."
        guard let document, card.purpose == .layer else { return (text, false) }
        if grant.documentID != document.reference.documentID || grant.layer != document.reference.layer {
            return (" It is for \(grant.documentID) / \(layer), not for this layer.", true)
        }
        if grant.userID != document.reference.userID {
            return (" It is for \(user); this copy belongs to \(document.reference.userID ?? "nobody").", true)
        }
        let lost = (document.status.grant?.general ?? []).subtracting(grant.general)
        guard !lost.isEmpty else { return (text, false) }
        text += " Lost: \(lost.map(\.rawValue).sorted().joined(separator: ", "))."
        if lost.contains(.write), document.waiting > 0 { text += " \(document.waiting) edits stay unsent." }
        return (text, false)
    }
}
