/// A picture for a terminal: rows from the top, three bytes per pixel: red, green, blue.
package struct Pixels: Hashable, Sendable {
    package let width: Int
    package let height: Int
    package let bytes: [UInt8]

    /// Returns nil if the byte count does not match the size.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, bytes.count == 3 * width * height else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Returns the largest size that keeps a shape's proportions within a frame, in whole pixels, at least one.
    ///
    /// - Parameters:
    ///   - shape: width and height in any unit.
    ///   - frame: available pixels.
    package static func fitting(
        _ shape: (width: Double, height: Double), into frame: (width: Int, height: Int)
    ) -> (width: Int, height: Int) {
        guard shape.width > 0, shape.height > 0, shape.width.isFinite, shape.height.isFinite else { return frame }
        let scale = min(Double(frame.width) / shape.width, Double(frame.height) / shape.height)
        func whole(_ side: Double, _ most: Int) -> Int { max(1, Int(min(Double(most), (side * scale).rounded()))) }
        return (whole(shape.width, frame.width), whole(shape.height, frame.height))
    }
}
