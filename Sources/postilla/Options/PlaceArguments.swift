import Annotations
import ArgumentParser

/// A point `X,Y`, in points from the page's top left corner.
struct PointArgument: ExpressibleByArgument {
    var point: Point

    init?(argument: String) {
        guard let values = [Double](commaSeparated: argument), values.count == 2 else { return nil }
        point = Point(x: values[0], y: values[1])
    }
}

/// A rectangle `LEFT,TOP,WIDTH,HEIGHT`, in points from the page's top left corner.
struct RectArgument: ExpressibleByArgument {
    var rect: Rect

    init?(argument: String) {
        guard let values = [Double](commaSeparated: argument), values.count == 4, values[2] > 0, values[3] > 0 else {
            return nil
        }
        rect = Rect(left: values[0], top: values[1], width: values[2], height: values[3])
    }
}

/// A page number, counted from 1.
struct PageArgument: ExpressibleByArgument {
    /// Counted from 0.
    var index: Int

    init?(argument: String) {
        guard let number = Int(argument), (1...1_000_000).contains(number) else { return nil }
        index = number - 1
    }
}

extension [Double] {
    /// Returns nil when one of them is not a finite number.
    fileprivate init?(commaSeparated text: String) {
        self = []
        for part in text.split(scalar: ",", omittingEmptySubsequences: false) {
            guard let value = Double(part), value.isFinite else { return nil }
            append(value)
        }
    }
}
