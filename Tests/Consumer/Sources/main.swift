import Foundation
import Instant

// The flows of the guides, one file each. Usage: consumer SERVER TOKEN-FILE
guard CommandLine.arguments.count == 3, let server = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: consumer SERVER TOKEN-FILE")
}
let text = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)
let jwt = text.trimmingCharacters(in: .whitespacesAndNewlines)

let application = try Application(serverURL: server, backend: Backend(token: jwt))
try await application.openDocument()
let review = Review(application.documentDescriptor!)
try review.start()
try await application.run()
await application.finish()
