package import Annotations

/// The version of the messages about files, `/engine/v1/…`. A program does not use an engine with another one.
package enum FileProtocol {
    package static let current: Int64 = 3
}

/// `GET version`: which engine listens, and whether it may be replaced.
package struct EngineVersion: WireMessage {
    /// Of the program, such as `0.10.1`.
    package var version: String
    /// Of the messages about files; 1 from an engine that does not report it.
    package var files: Int64
    package var pid: Int64
    /// A random word of this run of the engine.
    package var instance: String
    /// The limits of the process that only the system's administrator can exceed, by name.
    package var limits: [String: UInt64]
    /// Whether no process has a file open.
    package var isIdle: Bool

    package init(
        version: String, files: Int64 = FileProtocol.current, pid: Int64, instance: String, limits: [String: UInt64],
        isIdle: Bool
    ) {
        (self.version, self.files, self.pid) = (version, files, pid)
        (self.instance, self.limits, self.isIdle) = (instance, limits, isIdle)
    }

    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", version)
            // Earlier programs compare it.
            json.member("protocol", ProtocolVersion.current)
            json.member("files", files)
            json.member("pid", pid)
            json.member("instance", instance)
            json.member(
                "limits",
                object: { json in
                    for (name, value) in limits.sorted(by: { $0.key < $1.key }) { json.member(name, String(value)) }
                })
            json.member("idle", isIdle)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        version = try (json["version"]?.string).required("version", reader)
        files = json["files"]?.integer ?? 1
        pid = json["pid"]?.integer ?? 0
        instance = json["instance"]?.string ?? ""
        limits = [:]
        for member in json["limits"]?.object?.members ?? [] {
            if let value = member.value.string.flatMap(UInt64.init) { limits[member.key] = value }
        }
        isIdle = json["idle"]?.bool == true
    }
}

/// The answer to `POST retire`, which ends an engine as soon as nothing is connected.
package struct RetirementAnswer: WireMessage {
    /// Whether it ends. It does not while a process has a file open.
    package var isRetired: Bool

    package init(isRetired: Bool) { self.isRetired = isRetired }

    package func write(to json: inout JSONWriter) { json.object { $0.member("retired", isRetired) } }

    package init(from reader: inout JSONReader) throws(JSONError) {
        isRetired = try (try reader.value()["retired"]?.bool).required("retired", reader)
    }
}
