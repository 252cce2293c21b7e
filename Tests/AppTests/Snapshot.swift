import FoundationEssentials
import Testing

/// Compares a screen with its file under `Tests/Snapshots`, which is rewritten only when RECORD_SNAPSHOTS is 1.
func expectSnapshot(_ screen: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Snapshots")
    let file = folder.appending(path: name + ".txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        try Data((screen + "\n").utf8).write(to: file)
    }
    let kept = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(
        screen + "\n" == kept, "\(name) has changed; check it, then record it with RECORD_SNAPSHOTS=1",
        sourceLocation: sourceLocation)
}
