import Glibc
import InstantCore

/// A store of the same document, layer and user under another address.
struct LayerCopy: Hashable, Sendable {
    let folder: String
    /// The address under which it is kept.
    let server: String
    /// Whether that is another spelling of the same address, as earlier programs kept it.
    let isSpelling: Bool

    /// The folders of all its stores at this moment, those of other views first: they are inside the other one.
    var stores: [String] {
        (Folders.sides(in: folder) + [folder]).filter { LayerRepair.hasStore(Folders.database(in: $0)) }
    }

    /// Whether a repair kept a damaged file that an edit may need.
    var hasDamagedFiles: Bool {
        Folders.entries(AttachmentFiles(layer: folder).folder).contains { $0.ends(with: ".damaged") }
    }
}

extension Folders {
    /// Returns the copies of a layer, from their labels. Nothing is opened, unless a store has no label.
    ///
    /// - Parameter identity: With the address in its one form.
    func copies(of identity: LayerIdentity) -> [LayerCopy] {
        // The engine of this machine has one address.
        guard !identity.server.begins(with: "http+unix:") else { return [] }
        let own = layer(identity)
        return Self.entries(layers).compactMap { user in
            let folder = "\(layers)/\(user)/\(Self.layerName(identity))"
            guard folder != own, let found = Self.identity(in: folder), layer(found) == folder else { return nil }
            guard found.documentID.isExactly(identity.documentID), found.layer.isExactly(identity.layer),
                found.userID.isExactly(identity.userID)
            else { return nil }
            let form = ServerAddress.oneForm(of: found.server)
            return LayerCopy(folder: folder, server: found.server, isSpelling: form.isExactly(identity.server))
        }
    }

    private static func identity(in folder: String) -> LayerIdentity? {
        let path = database(in: folder)
        guard LayerRepair.hasStore(path) else { return nil }
        if let identity = LayerLabel.read(LayerLabel.path(besides: path)).label?.identity { return identity }
        guard let store = try? LocalSQLiteStore(lookingInto: path) else { return nil }
        defer { store.close() }
        return try? Layer(store: store).metadata().identity
    }
}
