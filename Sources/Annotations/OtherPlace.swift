/// A page besides the first that lists an annotation of a PDF. The annotation is one record, which stands on all of them.
package struct OtherPlace: Hashable, Sendable {
    package var pageIndex: Int
    /// The annotation's rectangle there; nil if it is that of the record.
    package var box: Rect?

    package init(pageIndex: Int, box: Rect? = nil) {
        self.pageIndex = pageIndex
        self.box = box
    }

    /// The maximum number of pages on which an annotation stands.
    package static let maximum = 1000
}

extension Content {
    /// The further pages of an annotation of a PDF, from `postilla.pages`. None once it was moved to another page, because
    /// an exported PDF then has it on that page only.
    package var otherPlaces: [OtherPlace] {
        let object = object
        guard let places = object["postilla"]?["pages"]?.array, let page = object["pageIndex"]?.integer,
            places.first?["pageIndex"]?.integer == page
        else { return [] }
        return places.dropFirst().prefix(OtherPlace.maximum).compactMap { place in
            place["pageIndex"]?.integer.flatMap { Int(exactly: $0) }.map {
                OtherPlace(pageIndex: $0, box: place["bbox"].flatMap(Rect.init(json:)))
            }
        }
    }

    /// Whether the annotation stands on a page.
    package func stands(onPage page: Int) -> Bool {
        self["pageIndex"]?.integer == Int64(page)
            || text.contains(scalars: "\"pages\"") && otherPlaces.contains { $0.pageIndex == page }
    }

    /// Returns the content with the further pages on which it stands.
    package func standing(on places: [OtherPlace]) -> Content {
        changing { object in
            let first = JSON.object(JSONObject(pageIndex: object["pageIndex"] ?? 0))
            let others = places.map { place in
                var other = JSONObject(pageIndex: .number(JSONNumber(Int64(place.pageIndex))))
                other["bbox"] = place.box?.json
                return JSON.object(other)
            }
            var aside = object["postilla"]?.object ?? JSONObject()
            aside["pages"] = .array([first] + others)
            object["postilla"] = .object(aside)
        }
    }
}

extension JSONObject {
    fileprivate init(pageIndex: JSON) {
        self.init()
        self["pageIndex"] = pageIndex
    }
}
