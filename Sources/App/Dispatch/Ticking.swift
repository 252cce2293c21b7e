import Annotations
import Authorization
import InstantCore

// Timers.
extension AppState {
    private static let draftInterval: Int64 = 2000

    mutating func ticked(_ moment: Timestamp) -> [Effect] {
        if moment < now { clockWentBack(by: now - moment) }
        now = moment
        dropNotice()
        document?.highlights.drop(at: now)
        if document?.refreshThrottle.timePassed(at: now) == true { refresh() }
        guard let editor = document?.editor, editor.isWritten, !editor.saved.isExactly(editor.input.text) else {
            return []
        }
        guard let last = editor.savedAt else {
            document?.editor?.savedAt = now
            return []
        }
        return now - last >= Self.draftInterval ? keepDraft() : []
    }

    /// Shifts what lasts for a time, so that a clock that is set back by a day delays nothing by a day: above all no draft.
    private mutating func clockWentBack(by milliseconds: Int64) {
        shownNotice = shownNotice.map { shown in
            var shown = shown
            shown.since = shown.since + -milliseconds
            return shown
        }
        document?.highlights.clockWentBack(by: milliseconds)
        if let last = document?.editor?.savedAt { document?.editor?.savedAt = last + -milliseconds }
    }

    /// Milliseconds until the token expires, by the server's clock; nil without a token.
    var tokenLife: Int64? {
        guard let status = document?.status, let grant = status.grant else { return nil }
        return grant.expiresAt - (now + status.clockOffset)
    }

    /// Milliseconds until the passage of time alone changes the screen; nil if it does not.
    package var wakeAfter: Int64? {
        guard let document else { return noticeWait }
        let flash = document.highlights.nextEnd.map { max(1, $0 - now) }
        return [document.refreshThrottle.wait(at: now), flash, noticeWait, nextSecond(document)].compactMap(\.self)
            .min()
    }

    private func nextSecond(_ document: DocumentState) -> Int64 {
        if let editor = document.editor, editor.isWritten, !editor.saved.isExactly(editor.input.text) {
            return Self.draftInterval
        }
        if case .offline(let retryAt) = document.status.connection, retryAt > now {
            return (retryAt - now - 1) % 1000 + 1
        }
        if let life = tokenLife, life > 0, life <= 60_000 { return (life - 1) % 1000 + 1 }
        return 60_000 - ((now.milliseconds % 60_000) + 60_000) % 60_000
    }
}
