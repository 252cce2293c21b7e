import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

extension Universe {
    /// Stops all hazards, gives every process a valid token, and lets time pass until nothing moves.
    func settle() throws {
        trace("quiet")
        isQuiet = true
        host.store.disarm()
        for process in devices.flatMap(\.processes) where process.isStopped { try proceed(process) }
        for device in devices {
            device.rights.reads = true
            for process in device.processes {
                process.store.disarm()
                process.actionsLeft = nil
            }
            for process in device.processes where process.isOffline {
                process.isOffline = false
                try give(.wentOnline, process)
            }
            try supplyToken(device)
        }
        var rounds = 0
        var calm = 0
        while calm < 4 {
            try pass(10_000)
            let moved = try drain()
            // What the firewall stops is tried again and again.
            calm = try moved && !hasFirewall || !isSettled() ? 0 : calm + 1
            rounds += 1
            try require(rounds < 200, "the system never comes to rest: \(try unrest())")
        }
    }

    /// - Returns: Whether any request was sent; events on streams are not counted.
    private func drain() throws -> Bool {
        let before = delivered
        var steps = 0
        while try deliver() {
            steps += 1
            try require(steps < 20_000, "messages without end")
        }
        for process in devices.flatMap(\.processes) {
            if case .needsToken = process.synchronizer.connection { try supplyToken(process) }
        }
        return delivered > before
    }

    private func isSettled() throws -> Bool { try unrest().isEmpty }

    /// Returns the devices that are not at rest, with the reason.
    private func unrest() throws -> [String] {
        try devices.filter(\.isInUse).compactMap { device in
            for process in device.processes where !process.leads {
                guard process.synchronizer.connection == .elsewhere, !process.synchronizer.cycle.isSyncing else {
                    return "\(device.name), not leading: \(process.synchronizer.connection)"
                }
            }
            let synchronizer = device.leader.synchronizer
            let tally = try device.disk.read { try $0.tally() }
            let isDone =
                try synchronizer.connection == .live && !synchronizer.cycle.isSyncing
                && (!device.leader.layer.hasUnsent() || hasFirewall && Firewall.holdsUp(device.leader.layer))
                && host.connections.contains { $0.process == device.leader.id }
            return isDone ? nil : "\(device.name) \(synchronizer.connection) \(synchronizer.cycle.state) \(tally)"
        }
    }

    /// Gives all users all rights: parked edits are sent, and all users see the same.
    func widen() throws {
        trace("all users get all rights, and nothing refuses a text any more")
        hasFirewall = false
        for device in devices { device.rights = .all(device.user, group: device.rights.group) }
        for device in devices {
            for process in device.processes { try retry(in: process, of: device) }
        }
        try settle()
        for device in devices where !device.isInUse {
            try require(
                Layer(store: device.disk).outbox().isEmpty, "the edits of the unused store \(device.name) were left")
        }
    }
}
