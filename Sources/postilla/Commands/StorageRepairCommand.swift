import Annotations
import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore

struct StorageRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Repair the damaged data on this machine.",
        discussion: """
            Replaces the store of every damaged layer by a new one that keeps each unsent edit that can be read, and \
            removes damaged PDFs and attachments. What the server has is loaded again by the next sync, which follows \
            at once if a token is given. Edits that cannot be read are named, and the damaged files are kept beside the \
            layer. Can be interrupted at any time. A layer must not be open in another process.

            Exit code 1 if an edit is lost or something could not be repaired.

            Examples:
              postilla storage repair
              postilla storage repair --document reading-machines --token-file review.jwt
            """)

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let source = try layer.tokenSource()
        let server = try layer.server.server.map(ServerOptions.checked)
        let naming = LayerNaming(server: server, document: layer.document, layer: layer.layer, user: layer.user)
        let folder = URL(filePath: try Folders(dataDirectory: layer.dataDir).data)
        let isNamed = [server, layer.document, layer.layer, layer.user].contains { $0 != nil }
        let findings: [InstantStorageFinding]
        do { findings = try InstantClient.checkStorage(in: folder) } catch { throw CommandFailure(reading: error) }
        let damaged = findings.filter { finding in
            finding.problem != nil && (finding.entry.map(naming.fits) ?? !isNamed)
        }
        guard !damaged.isEmpty else { return Output.message("nothing to repair") }
        var failures: [String] = []
        var repaired: [InstantCacheEntry] = []
        for finding in damaged {
            do throws(InstantError) {
                let repair = try InstantClient.repair(finding, in: folder, as: naming.identity)
                Output.message(repair.sentence)
                failures += repair.losses
                if repair.keptEdits != nil, let entry = repair.entry { repaired.append(entry) }
            } catch { failures.append("\(finding.name): \(error.message)") }
        }
        if let only = repaired.first, repaired.count == 1, !layer.offline {
            do { try await load(only, source) } catch let failure as CommandFailure { failures.append(failure.message) }
        }
        guard failures.isEmpty else { throw CommandFailure(failures.joined(separator: "\n")) }
    }

    /// Loads the layer again if there is a token for it.
    private func load(_ entry: InstantCacheEntry, _ source: TokenSource) async throws {
        var options = layer
        options.server.server = entry.server
        (options.document, options.layer) = (entry.documentIdentifier, entry.layerName)
        options.user = entry.userID ?? ""
        if case .prompt = source { return }
        let session = try await LayerSession.open(options, source, server: nil, local: false)
        try await session.synchronize()
        Output.message("\(entry.name): loaded from the server")
    }
}

extension LayerNaming {
    /// The layer, if all parts of its name are given.
    fileprivate var identity: LayerIdentity? {
        guard let server, let document, let layer, let user else { return nil }
        return LayerIdentity(server: server, documentID: document, layer: layer, userID: user.isEmpty ? nil : user)
    }
}

extension InstantRepair {
    /// What was done, for people.
    fileprivate var sentence: String {
        guard let keptEdits else { return "\(path): removed" }
        return "\(entry?.name ?? path): repaired; \(keptEdits) unsent edit\(keptEdits == 1 ? "" : "s") kept"
    }

    /// What was lost, for people.
    fileprivate var losses: [String] {
        var losses = lostEdits.map { "lost: \($0)" }
        if unreadablePages > 0 {
            losses.append("lost: the edits of \(unreadablePages) unreadable page\(unreadablePages == 1 ? "" : "s")")
        }
        if let damagedCopy, !losses.isEmpty { losses.append("the damaged files are in \(damagedCopy)") }
        return losses
    }
}
