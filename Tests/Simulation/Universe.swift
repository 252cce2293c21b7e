import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport

/// Several people, their devices, the server and the network between them, in one thread: everything is drawn from one
/// seed.
final class Universe {
    let profile: Profile
    var dice: SeededRandom
    /// Decides what the stranger does.
    var later: SeededRandom
    /// Decides which timers are late; nil if none are.
    var delays: SeededRandom?
    var stranger = Stranger()
    /// The true time. No clock in the simulation shows it.
    var time = Timestamp(seconds: 1_700_000_000)
    let host: Host
    var devices: [Device] = []
    var wire: [Parcel] = []
    var tokens: [IssuedToken] = []
    var rights: [Grant: Rights] = [:]
    let trace: Trace
    /// The number of delivered messages.
    var delivered = 0
    /// Whether all hazards are off.
    var isQuiet = false
    var hasFirewall: Bool
    private var texts = 0
    private var pdfs = 0

    init(seed: UInt64, trace: Trace) throws {
        var dice = SeededRandom(seed: seed)
        later = SeededRandom(seed: ~seed)
        profile = Profile(&dice, &later)
        var delays = SeededRandom(seed: seed ^ 0x7469_6d65_7273)
        self.delays = delays.chance(1, of: 4) ? delays : nil
        self.trace = trace
        hasFirewall = profile.hasFirewall
        trace(profile.summary)
        host = try Host(profile, &dice, trace: trace)
        self.dice = dice
        let users: [String?] = profile.hasAnonymous ? ["ana", "bo", nil] : ["ana", "bo", "cy"]
        for number in 1...profile.devices {
            let user = number <= users.count ? users[number - 1] : self.dice.pick(users)
            let rights = Rights.random(user, withRules: profile.hasRules, &self.dice)
            let device = Device(
                number: number, user: user, layerName: self.dice.pick(profile.layers), rights: rights,
                startsThreads: profile.startsThreads)
            devices.append(device)
            try launch(device)
            if profile.hasSecondProcesses, self.dice.chance(1, of: 2) { try launch(device) }
        }
    }

    func newText() -> String {
        texts += 1
        return "text \(texts)"
    }

    func newPDF() -> String {
        pdfs += 1
        return "pdf \(pdfs)"
    }

    // MARK: Programs

    func launch(_ device: Device) throws {
        try settleHandover(of: device)
        let process = device.launch(&dice)
        try give(.listening(true), process)
        try supplyToken(process)
    }

    func process(_ id: ProcessID) -> Process? { devices[id.device - 1].process(id) }

    /// Kills a program and starts it again.
    func kill(_ process: Process) throws {
        guard self.process(process.id) === process else { return }
        let device = devices[process.id.device - 1]
        trace("\(device.name) dies")
        for connection in host.connections where connection.process == process.id { host.drop(connection) }
        device.processes.removeAll { $0 === process }
        // A process that ran alone and died during a store operation takes the machine down with it.
        if process.store.isDead, device.processes.isEmpty { device.losePower() }
        // A process begins in the main store.
        try launch(device.main.map { devices[$0 - 1] } ?? device)
    }

    /// Lets each process check whether the lock is free or another process waits for it.
    func poll() throws {
        // A process may be alone because the leader moved to another store.
        for device in devices where device.processes.contains(where: { !$0.leads || $0.isDeposed }) {
            for process in device.processes where self.process(process.id) != nil && !process.isStopped {
                if process.isDeposed {
                    (process.leads, process.isDeposed) = (false, false)
                    try give(.deposed, process)
                } else if process.leads {
                    if let claim = device.newestClaim { try give(.leadClaimed(claim), process) }
                } else if process.wantsToLead, device.mayReplaceLeader(process) || device.mayLead(process) {
                    device.replaceLeader()
                    process.leads = true
                    try give(.leading(true), process)
                }
            }
        }
        try takeLeftovers()
    }

    /// Takes edits from side stores, and from the main store, that no process uses.
    func takeLeftovers() throws {
        for device in devices where !device.isInUse {
            guard let heir = heir(of: device), try !Layer(store: device.disk).outbox().isEmpty else { continue }
            try handOver(from: device, to: heir)
        }
    }

    /// The device with the same layer and user that may have the edits.
    private func heir(of device: Device) -> Device? {
        let others = devices.filter {
            $0 !== device && ($0.main ?? $0.number) == (device.main ?? device.number) && $0.isInUse
        }
        return others.first { other in
            guard other.leader.leads, !other.leader.isStopped, case .live = other.leader.synchronizer.session.state,
                let grant = other.leader.synchronizer.ownGrant
            else { return false }
            let isOnly = others.count == 1 && other.processes.count == 1
            return isOnly || (try? Layer(store: device.disk).isSendable(by: grant)) == true
        }
    }

    private func handOver(from device: Device, to heir: Device) throws {
        try settleHandover(of: device)
        let giving = Layer(store: device.disk)
        let process = heir.leader
        do {
            guard let handover = try giving.beginHandover("handover-\(dice.next())") else { return }
            trace("\(heir.name) takes \(handover.entries.count) edits of \(device.name)")
            defer { noteReceived(handover, from: device, by: heir) }
            if dice.chance(1, of: 4) { throw ProcessDied() }
            _ = try Layer(store: process.store).receive(handover)
            if dice.chance(1, of: 4) { throw ProcessDied() }
            try giving.endHandover(handover.id, newClientID: "device-\(device.number)-\(dice.next())")
            noteReceived(handover, from: device, by: heir)
            try Layer(store: process.store).forgetHandover(handover.id)
            for other in heir.processes { other.hasForeignChanges = true }
        } catch is ProcessDied { try kill(process) } catch is LocalStoreError {}
        if process.store.isDead { try kill(process) }
    }

    /// Finishes or withdraws the handover in whose midst a process died: before the next one, and before a process uses
    /// the store.
    private func settleHandover(of device: Device) throws {
        let giving = Layer(store: device.disk)
        guard let id = try giving.metadata().handover else { return }
        let isReceived = try devices.contains { try Layer(store: $0.disk).metadata().received.contains(id) }
        isReceived
            ? try giving.endHandover(id, newClientID: "device-\(device.number)-\(dice.next())")
            : try giving.cancelHandover(id)
    }

    /// The intentions move with the edits, even if the process died afterwards.
    private func noteReceived(_ handover: Handover, from device: Device, by heir: Device) {
        guard (try? Layer(store: heir.disk).metadata().received.contains(handover.id)) == true else { return }
        heir.ledger.merge(device.ledger, from: device.number)
        device.ledger = Ledger()
        host.loseAnswers(
            to: handover.entries.filter { $0.stage == .sealed || $0.wasSent }.compactMap { entry in
                entry.kind == .create ? entry.content.map { Remark.text(of: $0) } : nil
            })
    }

    /// Stops a process, or lets one continue.
    func stopOrContinue() throws {
        let shared = devices.filter { $0.processes.count > 1 }.flatMap(\.processes)
        guard !shared.isEmpty else { return }
        let process = later.pick(shared)
        trace("\(process.id) \(process.isStopped ? "continues" : "stops")")
        if process.isStopped { try proceed(process) } else { process.isStopped = true }
    }

    /// Gives one of several processes on a layer a token with other rights, or ends one in a side store.
    func changeViewOfOne() throws {
        let shared = devices.filter { $0.processes.count > 1 || $0.main != nil && $0.isInUse }
        guard !shared.isEmpty else { return }
        let device = later.pick(shared)
        let process = later.pick(device.processes)
        if device.main != nil, later.chance(1, of: 2) { return try kill(process) }
        let rights = device.rights
        device.rights = Rights.random(device.user, withRules: true, &later)
        try supplyToken(process)
        device.rights = rights
    }

    func proceed(_ process: Process) throws {
        process.isStopped = false
        let inputs = process.waiting
        process.waiting = []
        for input in inputs where self.process(process.id) === process { try give(input, process) }
    }

    func issueToken(_ device: Device) -> IssuedToken {
        let now = host.now(time)
        let expires = Timestamp(
            milliseconds: now.milliseconds + (isQuiet ? 100_000_000 : profile.tokenLife) + Int64(tokens.count))
        let grant = device.rights.grant(layer: device.layerName, expiresAt: expires)
        let token = IssuedToken(number: tokens.count + 1, rights: device.rights, grant: grant, issuedAt: now)
        tokens.append(token)
        rights[grant] = device.rights
        return token
    }

    /// Gives each program a separate token.
    func supplyToken(_ device: Device) throws {
        for process in device.processes where self.process(process.id) != nil { try supplyToken(process) }
    }

    func supplyToken(_ process: Process) throws {
        let device = devices[process.id.device - 1]
        let token = issueToken(device)
        // An empty side store is only for its own view.
        if let view = device.view, view != token.rights.viewScope, process.synchronizer.ownGrant == nil {
            return try move(process, of: device, to: token.grant)
        }
        let ticket = TokenHandle(token.number)
        process.tokens[ticket] = token
        trace("\(device.name) gets \(token.name): \(token.rights)")
        try give(.tokenSupplied(ticket), process)
    }

    // MARK: Inputs and effects

    func give(_ input: Synchronizer.Input, _ process: Process) throws {
        let device = devices[process.id.device - 1]
        if process.isStopped { return process.waiting.append(input) }
        let now = time + device.clockOffset
        trace("  \(device.name) <- \(input)")
        let before = try profile.hasSecondProcesses ? kept(device) : nil
        if input == .syncRequested || input == .checkRequested { process.isSyncAsked = true }
        let effects = process.synchronizer.handle(input, now: now, random: &process.dice)
        try device.watch.looks(at: device, host) { rights[$0] }
        var asksToLead = false
        var asksForStore: Grant?
        for effect in effects {
            if let left = process.actionsLeft {
                process.actionsLeft = left - 1
                if left <= 0 { return try kill(process) }
            }
            guard !process.store.isDead else { break }
            if effect == .lead(true) { asksToLead = true }
            if case .useAlone(let grant) = effect { asksForStore = grant }
            try perform(effect, process, now)
        }
        if process.store.isDead { return try kill(process) }
        if device.processes.count > 1, try kept(device) != before {
            for other in device.processes where other !== process { other.hasForeignChanges = true }
        }
        if asksToLead {
            process.leads = device.mayLead(process)
            try give(.leading(process.leads), process)
        }
        guard let grant = asksForStore, self.process(process.id) === process else { return }
        if device.main == nil, device.processes.count == 1 { return try give(.usesAlone(true), process) }
        try move(process, of: device, to: grant)
    }

    /// Continues in a side store of this view.
    private func move(_ process: Process, of device: Device, to grant: Grant) throws {
        let main = devices[(device.main ?? device.number) - 1]
        guard let rights = rights[grant] else { throw Violation("a grant of no token") }
        for connection in host.connections where connection.process == process.id { host.drop(connection) }
        device.processes.removeAll { $0 === process }
        if main.processes.isEmpty {
            trace("\(device.name) returns to the main store")
            main.rights = rights
            return try launch(main)
        }
        let known = devices.first { $0.main == main.number && $0.view == rights.viewScope }
        let side =
            known
            ?? Device(
                number: devices.count + 1, user: main.user, layerName: main.layerName, rights: rights,
                startsThreads: main.startsThreads, main: main.number, view: rights.viewScope)
        if known == nil { devices.append(side) }
        side.rights = rights
        side.clockOffset = main.clockOffset
        trace("\(device.name) moves to side store \(side.number)")
        try launch(side)
    }

    private struct Kept: Equatable {
        var tally: [OutboxEntry.Stage: Int]
        var metadata: LayerMetadata
    }

    private func kept(_ device: Device) throws -> Kept {
        try device.disk.read { Kept(tally: try $0.tally(), metadata: try $0.metadata()) }
    }

    private func perform(_ effect: Synchronizer.Effect, _ process: Process, _ now: Timestamp) throws {
        let device = devices[process.id.device - 1]
        trace("  \(device.name) -> \(effect)")
        switch effect {
        case .send(let request):
            try requireToken(process, toLead: request.kind != .session)
            guard let token = process.tokens[request.ticket] else { throw Violation("a ticket without a token") }
            if case .push(let push) = request.kind { try device.watch.sees(push) }
            wire.append(.request(process.id, request, token: token))
        case .cancel: break  // It may still arrive; its answer is ignored.
        case .openStream(let stream):
            try requireToken(process, toLead: true)
            guard let token = process.tokens[stream.ticket] else { throw Violation("a ticket without a token") }
            wire.append(.opening(process.id, stream, token: token))
        case .closeStream(let id):
            for connection in host.connections where connection.process == process.id && connection.stream == id {
                host.drop(connection)
            }
            wire.removeAll {
                if case .opening(process.id, let stream, _) = $0 { stream.id == id } else { false }
            }
        case .wake(let moment): process.alarm = moment.map { time + max(0, $0 - now) }
        case .announce(let notice): try process.hear(notice)
        case .lead(let wants):
            process.wantsToLead = wants
            if !wants { process.leads = false }
        case .claim(let claims): process.claim(claims)
        case .useAlone: break
        }
    }

    /// Checks that a process that needs a token sends nothing, whatever happens.
    ///
    /// - Parameter toLead: Whether only the process that holds the lock may send this.
    private func requireToken(_ process: Process, toLead: Bool) throws {
        if case .needsToken = process.synchronizer.session.state { throw Violation("a request without a token") }
        try require(process.leads || !toLead, "a process without the lock talks to the server")
    }
}
