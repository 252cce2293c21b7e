import Glibc

// `firstRange(of:)` and `ranges(of:)` of the standard library search any collection of anything: for 700 kB of a PDF they
// take 200 ms, and the C library less than one.
extension [UInt8] {
    /// Returns where these bytes begin for the first time, at or after a place.
    func firstPlace(of mark: [UInt8], from start: Int = 0) -> Int? {
        guard let head = mark.first, start >= 0, start < count else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var place = start
            while bytes.count - place >= mark.count,
                let found = memchr(base + place, CInt(head), bytes.count - place - mark.count + 1)
            {
                if memcmp(found, mark, mark.count) == 0 { return UnsafeRawPointer(found) - base }
                place = UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }

    /// Returns where these bytes begin, each time after the end of the one before.
    func places(of mark: [UInt8]) -> [Int] {
        var places: [Int] = []
        var start = 0
        while let place = firstPlace(of: mark, from: start) {
            places.append(place)
            start = place + mark.count
        }
        return places
    }
}
