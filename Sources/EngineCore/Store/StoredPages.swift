package import Annotations

extension [ServerDocument.Page] {
    /// The stored form: `[width, height]` per page, as displayed; for a page that is rotated or does not start at the
    /// origin, `[width, height, left, bottom, turns]` of its sheet, and the points in its unit unless that is one.
    package var json: String {
        var json = JSONWriter()
        json.array(self) { json, page in
            let frame = page.frame
            let isPlain = frame.left == 0 && frame.bottom == 0 && frame.turns == 0 && frame.unit == 1
            let numbers =
                [frame.width, frame.height] + (isPlain ? [] : [frame.left, frame.bottom, Double(frame.turns)])
                + (frame.unit == 1 ? [] : [frame.unit])
            json.array(numbers) { $0.raw(JSONNumber($1).source) }
        }
        return json.text
    }

    package init(json text: String) throws(JSONError) {
        self = (try JSON(parsing: text).array ?? []).map { page in
            let numbers = (page.array ?? []).map { $0.double ?? 0 } + [0, 0, 0, 0, 0, 0]
            return ServerDocument.Page(
                PageFrame(
                    left: numbers[2], bottom: numbers[3], width: numbers[0], height: numbers[1],
                    turns: Int(exactly: numbers[4]) ?? 0, unit: numbers[5] > 0 ? numbers[5] : 1))
        }
    }
}
