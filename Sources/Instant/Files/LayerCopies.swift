import Glibc
import InstantCore

/// A store of the same document, layer and user under another address.
struct LayerCopy: Hashable, Sendable {
    let folder: String
    /// The address under which it is kept.
    let server: String
    /// Whether that is another spelling of the same address, as earlier programs kept it.
    let isSpelling: Bool

    /// The folders of all its stores, those of other views first: they are inside the other one.
    var stores: [String] { Folders.sides(in: folder) + [folder] }
}

extension Folders {
    /// Returns the copies of a layer, from their labels. Nothing is opened, unless a store has no label.
    ///
    /// - Parameter identity: With the address in its one form.
    func copies(of identity: LayerIdentity) -> [LayerCopy] {
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

extension LayerStores {
    /// The copies under another spelling of this address.
    var spellings: [LayerCopy] { folders.copies(of: identity).filter(\.isSpelling) }

    /// Takes over the folder of an earlier program, which kept the layer under the address as it was typed: everything in
    /// it stays as it is. If this layer has a folder, or a program uses the other one, the edits move later.
    func adopt() {
        guard !LayerRepair.hasStore(Folders.database(in: main)) else { return }
        for copy in spellings {
            let locks = copy.stores.map { FileLock(path: Folders.use(in: $0)) }
            guard locks.allSatisfy({ $0 != nil }), (try? Folders.make(folders.user(of: identity))) != nil else {
                continue
            }
            // Fails if there is anything in the new place.
            guard rename(copy.folder, main) == 0 else { continue }
            return withExtendedLifetime(locks) {}
        }
    }

    /// Copies the files that the edits of another store need here.
    ///
    /// - Throws: ``InstantError`` if one cannot be copied; the edits must stay then.
    func bringFiles(of layer: Layer, from copy: LayerCopy) throws {
        let (theirs, mine) = (AttachmentFiles(layer: copy.folder), AttachmentFiles(layer: main))
        for id in try layer.attachmentsInUse() where !mine.holds(id) && theirs.holds(id) {
            try Folders.make(mine.folder)
            guard link(theirs.path(id), mine.path(id)) == 0 || errno == EEXIST else {
                throw InstantError(.couldNotWriteToDisk, "cannot write \(mine.path(id)): \(errnoText())")
            }
        }
        guard !Folders.entries(mine.folder).isEmpty else { return }
        try Folders.flush(mine.folder)
    }
}
