import Foundation
import Instant

guard CommandLine.arguments.count == 3, let server = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: consumer SERVER TOKEN-FILE")
}
let text = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)
let jwt = text.trimmingCharacters(in: .whitespacesAndNewlines)

let client = try InstantClient(serverURL: server)  // kept alive: sync ends without it
let descriptor = try client.documentDescriptor(forJWT: jwt)
descriptor.startListeningForServerChanges()
let events = descriptor.events
try await descriptor.downloadAndWait(usingJWT: jwt)

let document = descriptor.editableDocument
print("\(descriptor.title ?? descriptor.identifier): \(try document.annotationCount) annotations")
try document.add(.note(page: 0, at: Point(x: 72, y: 72), text: "Hello from outside"), author: "Consumer")

for await event in events {
    switch event {
    case .didChangeRecords(let ids, _):
        for id in ids.sorted() { print("\(id): \(try document.record(id)?.text ?? "gone")") }
    case .didFailAuthentication(let need): print("A token is needed: \(need)")
    case .didChangeSyncState(let state): print("The layer is \(state)")
    default: break
    }
}
