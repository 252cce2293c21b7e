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
    private var texts = 0
    private var pdfs = 0

    init(seed: UInt64, trace: Trace) throws {
        var dice = SeededRandom(seed: seed)
        later = SeededRandom(seed: ~seed)
        profile = Profile(&dice, &later)
        self.trace = trace
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
        let process = device.launch(&dice)
        try give(.listening(true), process)
        try supplyToken(process)
    }

    func process(_ id: ProcessID) -> Process? { devices[id.device - 1].process(id) }

    /// Kills a program and starts it again.
    func kill(_ process: Process) throws {
        let device = devices[process.id.device - 1]
        trace("\(device.name) dies")
        for connection in host.connections where connection.process == process.id { host.drop(connection) }
        device.processes.removeAll { $0 === process }
        // A process that ran alone and died during a store operation takes the machine down with it.
        if process.store.isDead, device.processes.isEmpty { device.losePower() }
        try launch(device)
    }

    /// Lets each process check whether the lock is free or another process waits for it.
    func poll() throws {
        for device in devices where device.processes.count > 1 {
            for process in device.processes where self.process(process.id) != nil {
                if process.leads {
                    if device.processes.contains(where: \.claims) { try give(.leadClaimed, process) }
                } else if process.wantsToLead, device.mayLead(process) {
                    process.leads = true
                    try give(.leading(true), process)
                }
            }
        }
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
        let ticket = TokenHandle(token.number)
        process.tokens[ticket] = token
        trace("\(device.name) gets \(token.name): \(token.rights)")
        try give(.tokenSupplied(ticket), process)
    }

    // MARK: Inputs and effects

    func give(_ input: Synchronizer.Input, _ process: Process) throws {
        let device = devices[process.id.device - 1]
        let now = time + device.clockOffset
        trace("  \(device.name) <- \(input)")
        let before = try profile.hasSecondProcesses ? kept(device) : nil
        let effects = process.synchronizer.handle(input, now: now, random: &process.dice)
        try device.watch.looks(at: device, host) { rights[$0] }
        var asksToLead = false
        for effect in effects {
            if let left = process.actionsLeft {
                process.actionsLeft = left - 1
                if left <= 0 { return try kill(process) }
            }
            guard !process.store.isDead else { break }
            if effect == .lead(true) { asksToLead = true }
            try perform(effect, process, now)
        }
        if process.store.isDead { return try kill(process) }
        if device.processes.count > 1, try kept(device) != before {
            for other in device.processes where other !== process { other.hasForeignChanges = true }
        }
        guard asksToLead else { return }
        process.leads = device.mayLead(process)
        try give(.leading(process.leads), process)
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
        case .claim(let claims): process.claims = claims
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
