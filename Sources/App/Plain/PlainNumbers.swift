import Annotations

/// The numbers by which a person names annotations. Each keeps its number as long as the layer is open: what others do
/// never makes a typed `delete 3` mean something else.
struct PlainNumbers: Equatable, Sendable {
    private var numbers: [Record.ID: Int] = [:]
    private var ids: [Record.ID] = []

    /// The record's number, a new one if it has none yet.
    mutating func number(of id: Record.ID) -> Int {
        if let number = numbers[id] { return number }
        ids.append(id)
        numbers[id] = ids.count
        return ids.count
    }

    subscript(number: Int) -> Record.ID? {
        ids.indices.contains(number - 1) ? ids[number - 1] : nil
    }
}
