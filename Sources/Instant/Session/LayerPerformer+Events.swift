import InstantCore

extension LayerPerformer {
    /// What the world is told of a notice; nil: nothing.
    func event(_ notice: Synchronizer.Notification) -> InstantEvent? {
        switch notice {
        case .changedState(let state): .didChangeSyncState(state)
        case .beganSync: .didBeginSync
        case .finishedSync: .didFinishSync
        case .failedSync(let failure): .didFailSync(InstantError(failure))
        case .authenticated(let ticket):
            withShared { $0.tokens[ticket] }.map { .didFinishReauthentication(AcceptedToken($0)) }
        case .failedAuthentication(let need): .didFailAuthentication(need)
        case .failedReauthentication(_, let failure): .didFailReauthentication(InstantError(failure))
        case .changed(let changes):
            changes.ids.isEmpty ? .refresh : .didChangeRecords(changes.ids, byOthers: changes.byOthers)
        case .lost(let why): .didLoseAccess(why)
        case .pdfReplaced: .didReplacePDF
        case .tokenExpires(let moment): .tokenExpires(at: moment)
        case .checked(let report): .didCheckIntegrity(report)
        case .presence: .didChangePresence
        }
    }
}
