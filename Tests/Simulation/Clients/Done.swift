import InstantCore
import SyncProtocol

/// An edit that was made, and whether the person wanted its record gone before and after it. What is shown does not tell:
/// a record may be out of sight.
struct Done {
    var receipt: EditReceipt
    let wantedGoneBefore: Bool
    let wantsGone: Bool

    init(_ receipt: EditReceipt) {
        self.receipt = receipt
        wantedGoneBefore = receipt.before == nil
        wantsGone = receipt.kind == .delete
    }

    /// The edit that takes another one back.
    init(_ receipt: EditReceipt, takingBack done: Done) {
        self.receipt = receipt
        wantedGoneBefore = done.wantsGone
        wantsGone = done.wantedGoneBefore
    }
}
