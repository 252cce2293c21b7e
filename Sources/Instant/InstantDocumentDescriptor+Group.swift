import InstantCore

/// The group of new records (guide: default group). Local, for this layer, and kept when the token changes; what the
/// token says is not touched.
extension InstantDocumentDescriptor {
    /// What new records get at present: the group of the override, else that of the token; nil is the null group.
    public var defaultGroup: String? {
        get throws(InstantError) { try InstantError.translating { try layer.facts().groupForNew } }
    }

    /// New records get this group in place of the token's default one.
    ///
    /// - Parameter group: nil is the null group.
    public func overrideDefaultGroup(with group: String?) throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(LayerFacts.GroupChoice(group: group)) }
    }

    /// The token's default group counts again.
    public func resetDefaultGroup() throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(nil) }
    }
}
