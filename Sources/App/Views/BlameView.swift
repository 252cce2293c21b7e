import Annotations
import Authorization
import InstantCore
import Screen

extension Canvas {
    /// Who made the current record and who changed it last, and when.
    mutating func drawBlame(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let text = document.blame(at: state.now, utcOffset: state.utcOffset, columns: area.columns)
        fill(area)
        write(text.truncated(to: area.columns - 2), in: area, column: 2, style: state.theme.dimmed)
    }
}

extension DocumentState {
    fileprivate func blame(at now: Timestamp, utcOffset: Int, columns: Int) -> CleanText {
        guard let record = detail else { return "" }
        let annotation = Annotation(record)
        func moment(_ moment: Timestamp?) -> String {
            guard let moment else { return "" }
            let age = RelativeTime.age(of: moment, at: now)
            return columns < 60 ? " \(age)" : " \(RelativeTime.date(moment, utcOffset: utcOffset)) (\(age))"
        }
        let maker = annotation.author ?? record.createdBy ?? "nobody: part of the PDF"
        let made = "made by \(maker)\(moment(annotation.createdAt))"
        guard let updated = annotation.updatedAt, updated != annotation.createdAt else {
            return CleanText(cleaning: made)
        }
        let changer = record.updatedBy.map { $0 == status.grant?.userID ? "me" : $0 } ?? "somebody"
        return CleanText(cleaning: "changed by \(changer)\(moment(updated)), \(made)")
    }
}
