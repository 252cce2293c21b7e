import Annotations
import App

/// Where the person is in one document, in a small file that only this user can read.
struct ReadingPlaceFile: Sendable {
    let folder: String
    /// A hash that names the layer and the user.
    let name: String

    private var path: String { "\(folder)/\(name).json" }

    /// nil if nothing is stored, or nothing that can be read.
    var place: ReadingPlace? {
        guard let text = try? PrivateFile.read(path), let json = try? JSON(parsing: text),
            let place = Self.bookmark(json["place"])
        else { return nil }
        var bookmarks: [Character: ReadingPlace.Bookmark] = [:]
        for entry in json["bookmarks"]?.array ?? [] {
            guard let letter = entry["letter"]?.string, letter.count == 1, let place = Self.bookmark(entry["place"])
            else { continue }
            bookmarks[Character(letter)] = place
        }
        return ReadingPlace(
            place: place, row: json["row"]?.string, isOnPage: json["onPage"]?.bool ?? false, bookmarks: bookmarks)
    }

    /// - Throws: ``CommandFailure`` when the file cannot be written.
    func keep(_ place: ReadingPlace) throws {
        var json = JSONObject()
        json["place"] = Self.json(place.place)
        json["row"] = place.row.map(JSON.string)
        json["onPage"] = .bool(place.isOnPage)
        json["bookmarks"] = .array(
            place.bookmarks.sorted { $0.key < $1.key }.map {
                ["letter": .string(String($0.key)), "place": Self.json($0.value)]
            })
        try Folders.make(folder)
        // Throws for a file that could not be read: its bookmarks are not known here.
        _ = try PrivateFile.existing(path, limit: 64 << 10)
        try PrivateFile.write(JSON.object(json).text + "\n", to: path)
    }

    private static func json(_ bookmark: ReadingPlace.Bookmark) -> JSON {
        [.number(JSONNumber(Int64(bookmark.page))), .number(JSONNumber(Int64(bookmark.glyph)))]
    }

    private static func bookmark(_ json: JSON?) -> ReadingPlace.Bookmark? {
        guard let numbers = json?.array?.compactMap(\.integer), numbers.count == 2,
            numbers.allSatisfy({ (0...Int64(Int32.max)).contains($0) })
        else { return nil }
        return ReadingPlace.Bookmark(page: Int(numbers[0]), glyph: Int(numbers[1]))
    }
}
