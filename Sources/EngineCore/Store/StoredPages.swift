package import Annotations

extension [ServerDocument.Page] {
    /// As a store keeps them: `[width, height]` for each, as displayed; for a page that does not begin at the origin or
    /// is turned, `[width, height, left, bottom, turns]`, its sheet's own.
    package var json: String {
        var json = JSONWriter()
        json.array(self) { json, page in
            let frame = page.frame
            let isPlain = frame.left == 0 && frame.bottom == 0 && frame.turns == 0
            let numbers =
                [frame.width, frame.height] + (isPlain ? [] : [frame.left, frame.bottom, Double(frame.turns)])
            json.array(numbers) { $0.raw(JSONNumber($1).source) }
        }
        return json.text
    }

    package init(json text: String) throws(JSONError) {
        self = (try JSON(parsing: text).array ?? []).map { page in
            let numbers = (page.array ?? []).map { $0.double ?? 0 } + [0, 0, 0, 0, 0]
            return ServerDocument.Page(
                PageFrame(
                    left: numbers[2], bottom: numbers[3], width: numbers[0], height: numbers[1],
                    turns: Int(exactly: numbers[4]) ?? 0))
        }
    }
}
