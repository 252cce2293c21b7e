import Annotations
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

extension Universe {
    func step() throws {
        let happening = pick()
        trace("\(happening.rawValue)")
        try happen(happening)
        if profile.hasStranger, later.chance(1, of: 10) { try strangerPushes() }
        if profile.stopsProcesses, later.chance(1, of: 12) { try stopOrContinue() }
        if profile.hasSecondProcesses, later.chance(1, of: 12) { try changeViewOfOne() }
        try checkKept()
    }

    private func pick() -> Happening {
        var left = Int.random(in: 0..<profile.weights.values.reduce(0, +), using: &dice)
        for happening in Happening.allCases {
            left -= profile.weights[happening, default: 0]
            if left < 0 { return happening }
        }
        return .deliver
    }

    private func happen(_ happening: Happening) throws {
        let device = dice.pick(devices.filter(\.isInUse))
        switch happening {
        case .deliver: if try !deliver() { try pass(Int64.random(in: 1...2000, using: &dice)) }
        case .time: try pass(dice.pick([50, 500, 1000, 3000, 16_000]))
        case .edit: try act(device) { try $0.edit(newText(), &dice) }
        case .reply: try act(device) { try $0.reply(newText(), &dice) }
        case .delete: try act(device) { try $0.delete(&dice) }
        case .undo: try act(device) { try $0.undo() }
        case .settle: try act(device) { try $0.settle(&dice) }
        case .discard: try act(device) { try $0.discard(&dice) }
        case .nudge:
            let input: Synchronizer.Input = dice.pick([.retryRequested, .syncRequested, .syncStopped, .checkRequested])
            let process = dice.pick(device.processes)
            guard input != .retryRequested else { return try retry(in: process, of: device) }
            try give(input, process)
        case .drop: try drop()
        case .double: double()
        case .late: try late()
        case .cutAnswer: try cutAnswer()
        case .cutStream: cutStream()
        case .silentStream: silenceStream()
        default: try happenRarely(happening, device)
        }
    }

    private func happenRarely(_ happening: Happening, _ device: Device) throws {
        let process = dice.pick(device.processes)
        switch happening {
        case .crashClient:
            if dice.chance(1, of: 2) { try kill(process) } else { process.actionsLeft = dice.pick([0, 1, 2, 3]) }
        case .crashServer: host.restart()
        case .storeFault: process.store.arm(dice.pick(Fragility.Fault.allCases), at: dice.pick([1, 1, 2, 3]))
        case .serverStoreFault: host.store.arm(dice.pick(Fragility.Fault.allCases), at: dice.pick([1, 1, 2]))
        case .expire: host.clockOffset += profile.tokenLife
        case .revoke: if let token = tokens.last(where: { $0.rights.user == device.user }) { try host.revoke(token) }
        case .newToken: try supplyToken(process)
        case .newRights:
            // The other programs continue with what their tokens allow.
            device.rights = Rights.random(device.user, withRules: profile.hasRules, &dice)
            try supplyToken(process)
        case .forgetToken: try give(.tokenForgotten, process)
        case .jumpClient: device.clockOffset = Int64.random(in: -86_400_000...86_400_000, using: &dice)
        case .jumpServer: host.clockOffset += Int64.random(in: -100_000...100_000, using: &dice)
        case .backend: try host.writeSomething(newText(), at: time)
        case .move: try host.moveSomething(at: time)
        case .prune: try host.prune(before: host.now(time) + dice.pick([0, -5000, -30_000]))
        case .overwrite: try host.put(pdf: newPDF())
        case .proxy: device.isBehindProxy.toggle()
        case .backup: host.backUp()
        case .restore: try host.restoreBackup()
        case .offline:
            process.isOffline.toggle()
            try give(process.isOffline ? .wentOffline : .wentOnline, process)
        default: break
        }
    }

    /// Performs an action in one of the programs that have the store open.
    private func act(_ device: Device, _ deed: (Person) throws -> String?) throws {
        let process = dice.pick(device.processes)
        guard !process.isStopped else { return }
        let person = Person(device: device, process: process, now: time + device.clockOffset)
        var done: String?
        do {
            done = try deed(person)
        } catch is EditError {
        } catch is ProcessDied {
        } catch is LocalStoreError {}
        if let done { trace("\(device.name) \(done)") }
        if process.store.isDead { return try kill(process) }
        guard done != nil else { return }
        for other in device.processes where other !== process { other.hasForeignChanges = true }
        try give(.edited, process)
    }

    /// Tries again what waits and what was put aside, as a key or a command does in any of the programs.
    func retry(in process: Process, of device: Device) throws {
        if !process.isStopped {
            do {
                if try !process.layer.retryAside().ids.isEmpty {
                    for other in device.processes { other.hasForeignChanges = true }
                }
            } catch is ProcessDied {} catch is LocalStoreError {}
            if process.store.isDead { return try kill(process) }
        }
        try give(.retryRequested, process)
    }
}
