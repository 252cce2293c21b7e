package import InstantCore

extension InstantDocumentDescriptor {
    /// Returns the damage that reads in this process have met, after comparing tables and indexes.
    ///
    /// - Throws: ``InstantError`` if the layer cannot be opened.
    package func damage() throws(InstantError) -> [StoredDamage] {
        let store = try performer().open.store
        store.noteGaps()
        return store.damage
    }
}
