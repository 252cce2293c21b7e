import InstantCore

/// Removing the local storage: only while no other process has it open, and with consent to lose what exists only here.
extension InstantDocumentDescriptor {
    /// Removes this layer's annotations from this machine; the PDF stays. Running operations are cancelled, and the
    /// descriptor is `invalid` afterwards; the client then creates a new one on request.
    ///
    /// - Parameter discardingUnsent: Consent to lose edits that exist only here, and anything in unreadable storage.
    /// - Throws: `unsentEdits` without that consent; `couldNotRemoveDiskCacheEntries`, also if another process has the
    ///   layer open.
    public func removeLocalStorage(discardingUnsent: Bool = false) throws(InstantError) {
        if let end { throw end }
        let removal = try removal()
        if !discardingUnsent {
            let losses = removal.losses()
            guard losses.isEmpty else { throw .unsent(losses) }
        }
        try finish(removal, losing: discardingUnsent ? nil : LayerLosses(of: []))
    }

    /// Removes this layer's annotations from this machine.
    ///
    /// - Parameter agree: Throws if what is lost must not be; the layer then stays open.
    package func removeLocalStorage(
        agree: (LayerLosses) throws(InstantError) -> Void
    ) throws(InstantError) {
        if let end { throw end }
        let removal = try removal()
        let losses = removal.losses()
        try agree(losses)
        try finish(removal, losing: losses)
    }

    /// Returns what exists only in the local stores of this layer, whether it is open or not.
    ///
    /// If the files of the open storage were removed or replaced, its edits are read through the connection that still has
    /// them, besides those in the files that are there now. Blocks.
    package func losses() -> LayerLosses {
        var losses = LayerLosses(of: [stores.main] + stores.sides)
        if let open = openStore, !open.store.isCurrent {
            losses.add(WriterConnectionStore(store: open.store), of: open.folder)
        }
        return losses
    }

    /// Closes the descriptor and removes the layer.
    ///
    /// - Parameter agreed: What may be lost; nil for everything.
    /// - Throws: ``InstantError``; `unsentEdits` if an edit was made since the last look.
    func finish(_ removal: LayerRemoval, losing agreed: LayerLosses?) throws(InstantError) {
        invalidate()
        if let agreed, case let losses = removal.losses(), losses.exceeds(agreed) { throw .unsent(losses) }
        try removal.run()
    }
}
