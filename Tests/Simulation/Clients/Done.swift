import InstantCore
import SyncProtocol

/// A completed edit, and whether the person wanted its record deleted before and after it. The displayed state does not
/// show that: a record may be out of sight.
struct Done {
    var receipt: EditReceipt
    let wantedGoneBefore: Bool
    let wantsGone: Bool

    init(_ receipt: EditReceipt) {
        self.receipt = receipt
        wantedGoneBefore = receipt.before == nil
        wantsGone = receipt.kind == .delete
    }

    /// Creates the edit that undoes another one.
    init(_ receipt: EditReceipt, takingBack done: Done) {
        self.receipt = receipt
        wantedGoneBefore = done.wantsGone
        wantsGone = done.wantedGoneBefore
    }
}
