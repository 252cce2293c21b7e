import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// The network's behaviour, good and bad.
extension Universe {
    /// Delivers one pending item of any kind. Returns false when nothing is pending.
    func deliver() throws -> Bool {
        for connection in host.connections { try host.tend(connection, at: time) }
        let streams = host.connections.filter {
            !$0.isSilent && (!$0.bytes.isEmpty || $0.isEnded || $0.isCut)
        }
        let foreign = devices.flatMap(\.processes).filter(\.hasForeignChanges)
        let count = wire.count + streams.count + foreign.count
        guard count > 0 else { return false }
        let index = Int.random(in: 0..<count, using: &dice)
        if index < wire.count {
            try deliver(wire.remove(at: index))
        } else if index < wire.count + streams.count {
            try read(streams[index - wire.count])
        } else {
            let process = foreign[index - wire.count - streams.count]
            process.hasForeignChanges = false
            try give(.storeChanged, process)
        }
        return true
    }

    private func deliver(_ parcel: Parcel) throws {
        if !parcel.isCheck { delivered += 1 }
        switch parcel {
        case .request(let id, let request, let token):
            if case .push(let push) = request.kind, hasFirewall, Firewall.stops(push) {
                return try block(id, request, token)
            }
            let body = if case .push(let push) = request.kind { push.bytes } else { [UInt8]() }
            guard let reply = try host.answer(request.kind, body: body, token: token, at: time) else {
                return try fail(id, request, "the server died")
            }
            wire.append(.answer(id, request, reply))
        case .answer(let id, let request, let reply): try answer(id, request, reply.read(request.kind))
        case .opening(let id, let stream, let token):
            guard let process = process(id) else { return }
            switch try host.open(stream, of: id, token: token, at: time) {
            case .success(let connection):
                connection.isSilent = devices[id.device - 1].isBehindProxy && stream.channel == .events
            case .failure(let failure): try give(.streamEnded(stream.id, failure), process)
            }
        }
    }

    private func answer(_ id: ProcessID, _ request: SyncRequest, _ result: Result<SyncAnswer, SyncFailure>) throws {
        guard let process = process(id) else { return }
        switch result {
        case .success(let answer):
            if case .push(let pushed) = answer, case .push(let push) = request.kind {
                // For the client that deletes it, a record out of sight counts as deleted.
                for (change, result) in zip(push.changes, pushed.results) where result.status == .gone {
                    devices[id.device - 1].ledger.isGone(change.id)
                }
            }
            let device = devices[id.device - 1]
            let isLookingThrough = try device.disk.read { try $0.metadata().isRecovering }
            try give(.answered(request.id, answer), process)
            if isLookingThrough, case .page(let page) = answer, page.next == nil { try seeGone(page, device) }
        case .failure(let failure): try give(.failed(request.id, failure), process)
        }
    }

    /// Notes records that a complete snapshot omits because they are out of sight. A client that reloads from a
    /// restored server treats them as gone, and their deletes as done.
    private func seeGone(_ page: SnapshotPage, _ device: Device) throws {
        guard let book = try host.book(ofEpoch: page.epoch),
            let rights = try device.disk.read({ try $0.metadata() }).grant.flatMap({ rights[$0] })
        else { return }
        // The answer may have killed the last process.
        let waiting = try Layer(store: device.disk).outbox().map(\.id)
        for id in device.ledger.wishes.keys where !waiting.contains(id) {
            let then = book.past(id).last { $0.revision <= page.at }
            if let then, !rights.sees(then.subject) { device.ledger.isGone(id) }
        }
    }

    func fail(_ id: ProcessID, _ request: SyncRequest, _ why: String) throws {
        try answer(id, request, .failure(.unreachable(why)))
    }

    /// Reads part of what a stream holds, and notices its end.
    private func read(_ connection: Connection) throws {
        guard let process = process(connection.process) else { return host.drop(connection) }
        // The data that a broken connection still held may arrive in part.
        let most = connection.bytes.count
        let length =
            most == 0 ? 0 : connection.isCut || dice.chance(1, of: 4) ? Int.random(in: 0...most, using: &dice) : most
        let chunk = connection.bytes.prefix(length)
        connection.bytes.removeFirst(length)
        let isOver = connection.isCut || (connection.isEnded && connection.bytes.isEmpty)
        var events: [LiveEvent] = []
        do { events = try connection.parser.feed(chunk) } catch { throw Violation("an event cannot be read: \(error)") }
        if isOver { host.drop(connection) }
        for event in events {
            if case .change(let change) = event, let book = try host.book(ofEpoch: change.epoch) {
                try Inspector(book: book, rights: connection.token.rights).check(change.changes)
            }
            guard self.process(process.id) != nil else { return }
            try give(.heard(connection.stream, event), process)
        }
        if isOver, self.process(process.id) != nil {
            try give(.streamEnded(connection.stream, connection.failure), process)
        }
    }

    // MARK: Faults

    /// Loses a message; the sender sees a failure without an answer.
    func drop() throws {
        guard let index = randomParcel(where: { _ in true }) else { return }
        switch wire.remove(at: index) {
        case .request(let id, let request, _), .answer(let id, let request, _):
            try fail(id, request, "the connection was closed")
        case .opening(let id, let stream, _):
            if let process = process(id) { try give(.streamEnded(stream.id, .unreachable("closed")), process) }
        }
    }

    /// Duplicates a message: a request repeated in transit, or an answer.
    func double() {
        guard let index = randomParcel(where: { $0.isRequest || $0.isAnswer }) else { return }
        wire.append(wire[index])
    }

    /// Times out a request, which is still delivered later.
    func late() throws {
        guard let index = randomParcel(where: \.isRequest), case .request(let id, let request, _) = wire[index] else {
            return
        }
        try answer(id, request, .failure(.stalled("nothing moved")))
    }

    /// Truncates an answer.
    func cutAnswer() throws {
        guard let index = randomParcel(where: \.isAnswer),
            case .answer(let id, let request, var reply) = wire.remove(at: index)
        else { return }
        reply.bytes.removeLast(Int.random(in: 1...reply.bytes.count, using: &dice))
        let result = reply.read(request.kind)
        if case .success = result { throw Violation("a truncated answer was read as complete") }
        try answer(id, request, dice.chance(1, of: 2) ? result : .failure(.unreachable("closed")))
    }

    func cutStream() {
        guard !host.connections.isEmpty else { return }
        dice.pick(host.connections).isCut = true
    }

    func silenceStream() {
        guard !host.connections.isEmpty else { return }
        dice.pick(host.connections).isSilent = true
    }

    private func randomParcel(where fits: (Parcel) -> Bool) -> Int? {
        let indices = wire.indices.filter { fits(wire[$0]) }
        return indices.isEmpty ? nil : dice.pick(indices)
    }
}
