/// The part of PostgreSQL's wire protocol, version 3, that a writer and a listener need.
final class PostgresConnection {
    private let socket: LoopbackSocket
    private var pending: [UInt8] = []

    init(port: UInt16, user: String) throws {
        socket = try LoopbackSocket(port: port)
        var startup = Message(kind: nil)
        startup.add(Int32(196_608))
        for text in ["user", user, "database", "postgres", ""] { startup.add(text) }
        try socket.send(startup.bytes)
        try waitUntilReady()
    }

    /// Executes one statement, or several separated by semicolons.
    func execute(_ sql: String) throws {
        var query = Message(kind: "Q")
        query.add(sql)
        try socket.send(query.bytes)
        try waitUntilReady()
    }

    func prepare(_ name: String, _ sql: String) throws {
        var parse = Message(kind: "P")
        parse.add(name)
        parse.add(sql)
        parse.add(Int16(0))
        try socket.send(parse.bytes + Message(kind: "S").bytes)
        try waitUntilReady()
    }

    /// Sends a prepared statement with its parameters as text; ``waitUntilReady()`` reads the answer.
    func start(_ name: String, _ parameters: [String]) throws {
        var bind = Message(kind: "B")
        bind.add("")
        bind.add(name)
        bind.add(Int16(0))
        bind.add(Int16(parameters.count))
        for parameter in parameters {
            bind.add(Int32(parameter.utf8.count))
            bind.add(bytes: parameter.utf8)
        }
        bind.add(Int16(0))
        var execute = Message(kind: "E")
        execute.add("")
        execute.add(Int32(0))
        try socket.send(bind.bytes + execute.bytes + Message(kind: "S").bytes)
    }

    func waitUntilReady() throws { while try next().kind != UInt8(ascii: "Z") {} }

    /// Returns the payload of the next notification.
    func notification() throws -> String {
        while true {
            let (kind, body) = try next()
            guard kind == UInt8(ascii: "A") else { continue }
            let texts = body.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)
            guard texts.count > 1 else { throw BenchmarkError("PostgreSQL sent a notification without payload") }
            return String(decoding: texts[1], as: UTF8.self)
        }
    }

    private func next() throws -> (kind: UInt8, body: ArraySlice<UInt8>) {
        while true {
            if pending.count >= 5 {
                let length = pending[1..<5].reduce(0) { $0 << 8 | Int($1) }
                if pending.count > length {
                    let (kind, body) = (pending[0], pending[5..<length + 1])
                    pending.removeFirst(length + 1)
                    if kind == UInt8(ascii: "E") {
                        throw BenchmarkError("PostgreSQL: \(String(decoding: body, as: UTF8.self))")
                    }
                    return (kind, body)
                }
            }
            pending += try socket.receive()
        }
    }

    /// A message under construction. The first one of a connection has no kind.
    private struct Message {
        private let kind: UInt8?
        private var body: [UInt8] = []

        init(kind: Character?) { self.kind = kind?.asciiValue }

        mutating func add(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { body += $0 } }
        mutating func add(_ number: Int16) { withUnsafeBytes(of: number.bigEndian) { body += $0 } }
        mutating func add(_ text: String) { body += Array(text.utf8) + [0] }
        mutating func add(bytes: some Sequence<UInt8>) { body += bytes }

        var bytes: [UInt8] {
            let length = withUnsafeBytes(of: Int32(body.count + 4).bigEndian) { Array($0) }
            return (kind.map { [$0] } ?? []) + length + body
        }
    }
}
