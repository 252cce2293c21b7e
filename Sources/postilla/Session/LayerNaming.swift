import Annotations
import FoundationEssentials
import Instant
import InstantCore

/// Finds a local layer by the given parts of its name.
struct LayerNaming {
    var server: String?
    var document: String?
    var layer: String?
    var user: String?

    /// - Throws: ``CommandFailure`` when none or several match; it lists them.
    func find(in folder: String) throws -> InstantCacheEntry {
        let entries = try Self.entries(in: folder)
        // Under one spelling or several, it is one layer. One that opens comes first.
        let all = entries.filter(fits)
        let found = (all.filter { $0.problem == nil } + all).reduce(into: [InstantCacheEntry]()) { found, entry in
            if !found.contains(where: { $0.isSameLayer(as: entry) }) { found.append(entry) }
        }
        if found.count == 1, let only = found.first {
            guard let problem = only.problem else { return only }
            throw CommandFailure(only.documentIdentifier.isEmpty ? problem : "\(only.name): \(problem)")
        }
        if found.isEmpty {
            // A layer that no longer says which one it is.
            let unknown = entries.filter { $0.problem != nil && $0.server.isEmpty }
            guard unknown.isEmpty else {
                let problems = unknown.compactMap(\.problem).map { "  " + $0 }.joined(separator: "\n")
                throw CommandFailure("the layer is not here, or it is one that is damaged:\n\(problems)")
            }
            throw CommandFailure(
                "no such layer on this machine; use a token, or see postilla storage list")
        }
        let names = found.map { "  " + $0.options }.joined(separator: "\n")
        throw CommandFailure("several layers match; use a token, or one of:\n\(names)", .usage)
    }

    func fits(_ entry: InstantCacheEntry) -> Bool {
        entry.fits(server: server, document: document, layer: layer, user: user)
    }

    static func entries(in folder: String) throws -> [InstantCacheEntry] {
        do throws(InstantError) {
            return try InstantClient.listCacheEntries(in: URL(filePath: folder))
        } catch { throw CommandFailure(error) }
    }
}

extension InstantCacheEntry {
    /// The options that name exactly this layer.
    var options: String {
        "--server \(server.shellWord) --document \(documentIdentifier.shellWord) --layer \(layerName.shellWord) "
            + "--user \((userID ?? "").shellWord)"
    }

    fileprivate func isSameLayer(as other: InstantCacheEntry) -> Bool {
        guard !server.isEmpty, !other.server.isEmpty else { return folder.isExactly(other.folder) }
        return other.fits(server: server, document: documentIdentifier, layer: layerName, user: userID ?? "")
    }

    /// The layer's name for people.
    var name: String {
        "\(documentIdentifier) / \(layerName.isEmpty ? "(default)" : layerName) of \(userID ?? "(anonymous)")"
    }
}

extension String {
    /// The text, quoted where a shell would interpret it.
    var shellWord: String {
        if let escapedForShell { return escapedForShell }
        let plain =
            !isEmpty
            && utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 0x80 && (character.isLetter || character.isNumber || "-._~/:@%+=".contains(character))
            }
        return plain ? self : "'" + replacing(scalars: "'", with: #"'\''"#) + "'"
    }
}
