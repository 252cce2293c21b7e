import SyncProtocol

/// What a transaction that takes in what others did knows by now, so that nothing is asked for twice.
struct Intake {
    /// As they stand now.
    var facts: LayerFacts
    /// The outbox is empty, and stays so to the end of the transaction: what others did appends nothing to it. False where
    /// nobody has looked.
    var nothingWaits = false
}
