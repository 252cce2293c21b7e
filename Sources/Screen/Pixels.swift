/// A picture to be shown on a terminal: rows from the top, three bytes a pixel, red, green and blue.
package struct Pixels: Hashable, Sendable {
    package let width: Int
    package let height: Int
    package let bytes: [UInt8]

    /// nil when there are not exactly as many bytes as its size needs.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, bytes.count == 3 * width * height else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The largest size in which something keeps its shape within a frame, in whole pixels, at least one.
    ///
    /// - Parameters:
    ///   - shape: its width and height in any unit.
    ///   - frame: pixels there are.
    package static func fitting(
        _ shape: (width: Double, height: Double), into frame: (width: Int, height: Int)
    ) -> (width: Int, height: Int) {
        guard shape.width > 0, shape.height > 0, shape.width.isFinite, shape.height.isFinite else { return frame }
        let scale = min(Double(frame.width) / shape.width, Double(frame.height) / shape.height)
        func whole(_ side: Double, _ most: Int) -> Int { max(1, min(most, Int((side * scale).rounded()))) }
        return (whole(shape.width, frame.width), whole(shape.height, frame.height))
    }
}
