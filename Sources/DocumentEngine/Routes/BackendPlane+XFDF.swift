import EngineCore
import Hummingbird
import Interchange

extension BackendPlane {
    /// A layer as one file of XFDF: annotations and their replies in the order of their ids.
    func xfdf(_ key: LayerKey) async throws -> Response {
        let pages = try await engine.read { try Self.document(key.document, in: $0).pages.map(\.frame) }
        return try await file(of: key, type: "application/vnd.adobe.xfdf") { write in
            let file = XFDFWriter(pages: pages)
            try await write(file.begin())
            try await eachPart(of: key, Self.withRoot) { part in
                try await write(part.map { file.add($0.record, under: $0.root) }.joined())
            }
            try await write(file.end())
        }
    }
}
