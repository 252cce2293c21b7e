/// A point on a page, in PDF points (1/72 inch), origin at the top left corner, y growing downwards.
public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A box on a page, in PDF points, origin at the top left corner of the page, y growing downwards.
///
/// Instant JSON writes it as `[left, top, width, height]`.
public struct Rect: Hashable, Sendable {
    public var left: Double
    public var top: Double
    public var width: Double
    public var height: Double

    public init(left: Double, top: Double, width: Double, height: Double) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    package static let zero = Rect(left: 0, top: 0, width: 0, height: 0)

    public var right: Double { left + width }
    public var bottom: Double { top + height }
    public var middle: Point { Point(x: left + width / 2, y: top + height / 2) }

    package func scaled(by factor: Double) -> Rect {
        Rect(left: left * factor, top: top * factor, width: width * factor, height: height * factor)
    }

    /// Returns the smallest box that contains both.
    public func union(_ other: Rect) -> Rect {
        let left = min(self.left, other.left)
        let top = min(self.top, other.top)
        return Rect(
            left: left, top: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
    }

    /// Returns the shared area, in square points; 0 if they only touch.
    public func overlap(_ other: Rect) -> Double {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        return width > 0 && height > 0 ? width * height : 0
    }

    public func contains(_ point: Point) -> Bool {
        point.x >= left && point.x < right && point.y >= top && point.y < bottom
    }
}
