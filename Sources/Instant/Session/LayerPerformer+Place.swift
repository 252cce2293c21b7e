import Annotations
import Authorization
import InstantCore

/// What a performer hands to its successor in another store of the layer.
struct Luggage {
    /// What the token claims.
    var grant: Grant
    /// The token in use or being tried; nil if it is never sent.
    var token: String?
    var presence: OwnPresence?
    var wantsPDF = false
    /// Whether the beginning of a cycle was announced, and not its end.
    var isSyncing = false
    /// Whether the application asked for a sync that waits for the session.
    var wantsSync = false
    var isOffline = false
}

// Which store this process uses. Another one needs another performer, because nothing of the state remains valid.
extension LayerPerformer {
    /// Before a token is tried: if its view differs from that of the store, and no token of this process has been
    /// accepted, the rows of the store are not shown any longer.
    ///
    /// - Returns: Whether a successor tries the token.
    func movesAside(with token: String, _ grant: Grant, _ state: inout Confined) -> Bool {
        guard state.synchronizer.ownGrant == nil,
            let place = try? stores.place(for: grant, isAccepted: false, from: open), place != .here,
            place != .side || open.folder != stores.side(of: grant)
        else { return false }
        return move(to: place, token, grant, &state)
    }

    /// Uses an existing store of this view without a token.
    func movesAside(with grant: Grant, _ state: inout Confined) {
        guard let place = try? stores.place(for: grant, isAccepted: false, from: open), place == .side,
            Folders.isFile(Folders.database(in: stores.side(of: grant)))
        else { return }
        _ = move(to: .side, nil, grant, &state)
    }

    /// Answers ``Synchronizer/Effect/useAlone(_:)``.
    ///
    /// - Returns: nil if a successor takes over. If true, this process has the store to itself until
    ///   ``shareStore(_:)``.
    func useAlone(_ grant: Grant, _ state: inout Confined) -> Bool? {
        let place = (try? stores.place(for: grant, isAccepted: true, from: open)) ?? .side
        if place == .mainConverted, open.isMain, open.becomeExclusive() {
            state.isAlone = true
            return true
        }
        let token = withShared { [synchronizer = state.synchronizer] shared in
            synchronizer.session.tickets.first.flatMap { shared.tokens[$0] }
        }
        guard let token else { return false }
        return move(to: place == .mainConverted && open.isMain ? .side : place, token, grant, &state) ? nil : false
    }

    func shareStore(_ state: inout Confined) {
        guard state.isAlone else { return }
        state.isAlone = false
        open.becomeShared()
    }

    /// Returns from a side store once the token is accepted and the main store is free.
    ///
    /// - Parameter hasFinished: Whether the end of a cycle would be announced now; the successor announces it.
    func returnToMain(_ state: inout Confined, hasFinished: Bool) {
        guard !open.isMain, let grant = state.synchronizer.ownGrant, let token = dataToken,
            let place = try? stores.place(for: grant, isAccepted: true, from: open), place != .here, place != .side
        else { return }
        let hasBegun = state.hasBegun
        state.hasBegun = hasBegun || hasFinished
        if !move(to: place, token, grant, &state) { state.hasBegun = hasBegun }
    }

    private func move(to place: StorePlace, _ token: String?, _ grant: Grant, _ state: inout Confined) -> Bool {
        let next: OpenStore?
        do {
            next =
                switch place {
                case .here: nil
                case .main: try stores.open(stores.main)
                case .mainConverted: try stores.openMain(convertedTo: grant)
                case .side: try stores.open(stores.side(of: grant))
                }
        } catch {
            state.moveProblem = InstantError(error)
            return false
        }
        guard let next else { return false }
        let luggage = Luggage(
            grant: grant, token: token, presence: state.presence, wantsPDF: state.download.isWanted,
            isSyncing: state.synchronizer.cycle.isSyncing || state.hasBegun,
            wantsSync: state.synchronizer.isSyncWanted || state.synchronizer.cycle.isSyncing,
            isOffline: state.synchronizer.connection == .idle)
        onMove(next, luggage)
        onLeave(leave())
        return true
    }

    /// Takes edits from stores that no process uses. Checked now and then, because processes end at any time.
    func takeLeftovers(_ state: inout Confined, _ now: Timestamp) -> [Synchronizer.Effect] {
        guard holdsLock, let grant = state.synchronizer.ownGrant, dataToken != nil else { return [] }
        if let next = state.nextLeftovers, now < next, next - now <= Self.leftoverInterval { return [] }
        state.nextLeftovers = now + Self.leftoverInterval
        // Only earlier programs make them.
        let looksForCopies = state.nextCopies.map { now >= $0 || $0 - now > Self.copyInterval } ?? true
        if looksForCopies { state.nextCopies = now + Self.copyInterval }
        let leftovers = stores.takeLeftovers(
            into: open, grant: grant, copies: looksForCopies ? stores.spellings : [])
        open.note(damagedStores: leftovers.damage)
        guard leftovers.hasReceived else { return [] }
        return state.synchronizer.handle(.storeChanged, now: now, random: &state.random)
    }

    /// Milliseconds.
    private static let leftoverInterval: Int64 = 2000
    private static let copyInterval: Int64 = 60_000
}
