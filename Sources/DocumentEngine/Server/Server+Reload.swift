import Logging

/// Changes while the server runs.
extension Server {
    /// Replaces the keys of tokens and the backend's secrets. From now on, tokens and secrets that match only earlier
    /// ones are refused, and the streams of such tokens end.
    package func reload(keys: [VerificationKey], secrets: [String]) {
        let (old, new) = (engine.verifier.keys, Set(keys.map(\.id)))
        // Keys first, because a listener added meanwhile checks its key after it was added.
        engine.verifier.replaceKeys(keys)
        self.secrets.replace(by: secrets)
        engine.closeStreamsOfRemovedKeys()
        var details = AuditEvent.Details(actor: .server)
        details.addedKeys = new.subtracting(old).map(\.description).sorted()
        details.removedKeys = old.subtracting(new).map(\.description).sorted()
        options.logger.notice(
            "keys and secrets were reloaded",
            metadata: [
                "keys": "\(new.count)", "added": "\(details.addedKeys.count)",
                "removed": "\(details.removedKeys.count)", "secrets": "\(secrets.count)",
            ])
        audit?.record(AuditEvent(time: options.now(), action: .reload, details: details))
    }

    /// Reports that keys and secrets could not be read again; the earlier ones stay in use.
    ///
    /// - Parameter problem: a sentence with the path and the cause.
    package func reloadFailed(_ problem: String) {
        options.logger.error("keys and secrets were not reloaded", metadata: ["error": "\(problem)"])
        audit?.record(
            AuditEvent(
                time: options.now(), action: .reload, details: AuditEvent.Details(actor: .server), problem: "failed"))
    }

    /// Opens the audit log under its name again, after it was renamed for rotation.
    package func reopenAuditLog() { audit?.reopen() }
}
