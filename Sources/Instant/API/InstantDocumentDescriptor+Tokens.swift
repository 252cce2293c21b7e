import InstantCore

/// Authentication: tokens from the application, or from the client's token provider.
extension InstantDocumentDescriptor {
    /// Supplies a token. Reports `didFinishReauthentication` (the token may then be stored) or
    /// `didFailReauthentication`.
    public func reauthenticate(withJWT jwt: String) {
        do throws(InstantError) {
            let grant = try check(jwt)
            let performer = try performer()
            asker.supplied(jwt)
            performer.supply(jwt, grant)
        } catch { tell(.didFailReauthentication(error)) }
    }

    /// Removes the token from memory. A new one is then needed, and the token provider is not asked for it.
    public func forgetToken() { (try? performer())?.post(.tokenForgotten) }

    /// Whether an event is held back, because the token provider is asked before the application is told.
    func holdsBack(_ event: InstantEvent) -> Bool {
        switch event {
        case .didFinishReauthentication: asker.accepted()
        case .didFailAuthentication(let need) where need != .forgotten:
            guard let provider = tokenProvider else { return false }
            return asker.ask({ [weak self] in
                guard let self else { return nil }
                return try await provider(self)
            }) { [weak self] answer in
                self?.answered(answer, need)
            }
        default: break
        }
        return false
    }

    private func answered(_ answer: TokenAsker.Answer, _ need: TokenNeed) {
        // Without a performer, the layer was closed meanwhile, as its events say.
        guard let performer = try? performer() else { return asker.delivered() }
        deliver(answer, to: performer, need)
        performer.onQueue { [asker] in asker.delivered() }
    }

    private func deliver(_ answer: TokenAsker.Answer, to performer: LayerPerformer, _ need: TokenNeed) {
        guard case .token(let jwt) = answer else { return performer.tellLater(.didFailAuthentication(need)) }
        do throws(InstantError) { performer.supply(jwt, try check(jwt)) } catch {
            performer.tellLater(.didFailReauthentication(error))
            performer.tellLater(.didFailAuthentication(need))
        }
    }

    func check(_ jwt: String) throws(InstantError) -> Grant {
        let grant = try InstantClient.grant(of: jwt)
        guard grant.documentID.isExactly(identity.documentID), grant.layer.isExactly(identity.layer) else {
            throw InstantError(.invalidJWT, "this token is for a different layer")
        }
        guard grant.userID.isExactly(identity.userID) else {
            throw InstantError(.userIDMismatch, "this token is for a different user")
        }
        guard allowsToken else { throw .insecure }
        return grant
    }
}

extension LayerPerformer {
    /// Sends an event after everything that was posted so far.
    func tellLater(_ event: InstantEvent) { onQueue { if !self.isClosed { self.tellAnyway(event) } } }
}
