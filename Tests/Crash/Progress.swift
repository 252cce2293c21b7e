import Glibc

/// Tells now and then how far a long campaign has come, so that one that was stopped can go on.
func tellHeld(_ count: UInt64, of all: Int, from seed: UInt64) {
    guard count.isMultiple(of: 50), count < all else { return }
    print("\(count) of \(all) held; the rest: SEED=\(seed + count)")
    fflush(nil)
}
