import Annotations
import Authorization
import InstantCore
import Screen
import SyncProtocol

extension Canvas {
    mutating func drawTokenCard(_ card: TokenCard, _ state: AppState) {
        let columns = OverlayBox.columns(state.size, 72)
        let all = state.lines(of: card, columns: columns)
        let box = OverlayBox(state.size, rows: all.count, columns: columns)
        let isNeeded = state.document?.need != nil || state.document == nil || card.purpose != .layer
        draw(box, isNeeded ? "Token needed" : "New token", state)
        for (row, line) in all.fitting(box.inside.rows).enumerated() {
            let style: Style =
                switch line.role {
                case .fact, .entry, .verdict: state.theme.text
                case .warning: state.theme.warning
                case .problem: state.theme.error
                case .choice: state.theme.dimmed
                }
            let width = write(line.text, in: box.inside, row: row, style: style)
            guard line.role == .entry else { continue }
            let field = box.inside.split(top: row).rest.split(top: 1).top.split(left: width).rest
            if let path = card.path {
                drawInput(path, in: field, style: state.theme.input)
            } else {
                cursor = Position(row: field.row, column: min(field.column, box.inside.endColumn - 1))
            }
        }
    }
}

/// One line of the token card.
struct TokenCardLine: Equatable {
    enum Role {
        case fact, entry, verdict, warning, problem
        /// Paths to choose from.
        case choice
    }

    var text: CleanText
    var role: Role
}

extension [TokenCardLine] {
    /// Returns the lines that fit: the choices are dropped first, then the warnings and the facts.
    fileprivate func fitting(_ rows: Int) -> [TokenCardLine] {
        var lines = self
        for role in [TokenCardLine.Role.choice, .warning, .fact] {
            while lines.count > rows, let last = lines.lastIndex(where: { $0.role == role }) { lines.remove(at: last) }
        }
        return lines
    }
}

extension AppState {
    /// Returns all lines of the card.
    func lines(of card: TokenCard, columns: Int) -> [TokenCardLine] {
        func lines(_ text: CleanText, _ role: TokenCardLine.Role) -> [TokenCardLine] {
            guard !text.isEmpty else { return [] }
            return text.wrapped(to: columns).prefix(4).map { TokenCardLine(text: $0, role: role) }
        }
        let entry: CleanText =
            if card.path != nil {
                "Token file: @"
            } else if let received = card.received {
                "Token or @file: \(received.count) character\(received.count == 1 ? "" : "s") (hidden)"
            } else {
                "Token or @file (hidden): "
            }
        let verdict = verdict(on: card)
        let choices = card.completions.prefix(5).map { CleanText(cleaning: $0).truncated(to: columns) }
        return lines(reason(for: card), .fact) + lines(receiver(for: card), .fact) + lines(waitingSentence, .fact)
            + [TokenCardLine(text: "", role: .choice), TokenCardLine(text: entry, role: .entry)]
            + choices.map { TokenCardLine(text: $0, role: .choice) }
            + lines(verdict.text, verdict.role)
            + (card.check.map { lines($0.sentence, .verdict) } ?? [])
            + warnings(on: card).flatMap { lines($0, .warning) }
    }

    /// Returns who gets the token.
    private func receiver(for card: TokenCard) -> CleanText {
        guard let document, card.purpose == .layer else { return "" }
        return "Server: \(document.reference.server)"
    }

    private func reason(for card: TokenCard) -> CleanText {
        if case .join(let server) = card.purpose { return "The token for \(server) selects the layer to open." }
        guard let document else { return "" }
        let name: CleanText = "\(document.title) / \(document.layerName)"
        guard let need = document.need else { return "The token for \(name) is in use." }
        switch need {
        case .noneYet: return "Syncing \(name) needs a token."
        case .expired:
            // The expired token may have been tried later; its expiry time is then unknown.
            let last = document.status.grant.flatMap { isOver($0) ? $0.expiresAt : nil }
            let at = last.map { " at " + RelativeTime.near($0, at: now, utcOffset: utcOffset) }
            return "The token for \(name) expired\(at ?? "")."
        case .revoked: return "The token for \(name) was revoked."
        case .refused(let why):
            // The problem of the tried token, shown below, already gives the reason.
            let isSaid = card.problem?.contains(why) ?? false
            return "The server rejected the token for \(name)\(isSaid ? "." : ": \(why)")"
        case .forgotten: return "The token for \(name) was forgotten."
        }
    }

    /// `Unsent, safe here: 1 highlight, 2 notes. You can keep reading and editing.`
    private var waitingSentence: CleanText {
        guard let document, token?.purpose == .layer else {
            return "Nothing is stored until the server accepts it."
        }
        let mayWrite = document.status.grant?.mayWrite ?? false
        let goesOn: CleanText = mayWrite ? "You can keep reading and editing." : "You can keep reading."
        guard document.waiting > 0 else { return "No unsent edits. \(goesOn)" }
        let summary = document.outbox.summary
        let what = summary.isEmpty ? "\(document.waiting) edits" : summary
        return "Unsent, safe here: \(what). \(goesOn)"
    }

    /// Returns what the received token allows, and what is lost with it.
    private func verdict(on card: TokenCard) -> TokenCardLine {
        if card.isTrying { return TokenCardLine(text: "Checking with the server ...", role: .verdict) }
        if let problem = card.problem?.asSentence {
            return TokenCardLine(text: CleanText(cleaning: problem), role: .problem)
        }
        guard let grant = card.claims?.grant else { return TokenCardLine(text: "", role: .verdict) }
        let layer = grant.layer.isEmpty ? "default layer" : "layer \(grant.layer)"
        let user = grant.userID.map { "user \($0)" } ?? "no user"
        let end = RelativeTime.near(grant.expiresAt, at: now, utcOffset: utcOffset)
        let says: CleanText = "Token for \(user), \(layer), \(isOver(grant) ? "expired at" : "valid until") \(end)."
        guard let document, card.purpose == .layer else { return TokenCardLine(text: says, role: .verdict) }
        let reference = document.reference
        guard grant.documentID.isExactly(reference.documentID), grant.layer.isExactly(reference.layer) else {
            let what: CleanText = "Token for \(grant.documentID) / \(layer), not for this layer"
            return TokenCardLine(text: what + ": Enter to open that layer in a new tab.", role: .verdict)
        }
        guard grant.isFor(reference) else {
            let what: CleanText = "Token for \(user); this copy belongs to \(reference.userID ?? "an anonymous user")"
            return TokenCardLine(text: what + ": Enter to open a separate copy.", role: .verdict)
        }
        return TokenCardLine(text: says + change(to: grant), role: .verdict)
    }

    /// Returns the warnings about the received token, or about the one that the server refused.
    private func warnings(on card: TokenCard) -> [CleanText] {
        let warnings = card.claims?.warnings ?? card.check?.verdict.warnings ?? []
        let more: [CleanText] =
            warnings.count > 3 ? ["Warning: \(warnings.count - 3) more; see postilla token check"] : []
        return warnings.prefix(3).map { "Warning: \($0)" } + more
    }

    /// By the server's clock, as far as its offset is known.
    private func isOver(_ grant: Grant) -> Bool {
        grant.expiresAt <= now + (document?.status.clockOffset ?? 0)
    }

    /// ` Lost: write. 3 edits held.`
    private func change(to grant: Grant) -> CleanText {
        guard let document else { return "" }
        let change = RightsChange(from: document.status.grant, to: grant)
        guard !change.isEmpty else { return " Same rights as before." }
        let said: CleanText = " \(change.sentence)"
        let count = document.waiting
        guard document.status.grant?.mayWrite == true, !grant.mayWrite, count > 0 else { return said }
        return said + (count == 1 ? " 1 edit held." : " \(count) edits held.")
    }
}
