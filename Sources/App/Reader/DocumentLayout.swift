import PageLayout
import Screen

/// The layout of the document screen for a terminal size.
struct DocumentLayout: Equatable, Sendable {
    enum Form: Equatable, Sendable {
        case tooSmall
        /// One pane; Tab switches.
        case single
        case stacked
        case beside
    }

    static let smallest = Size(rows: 8, columns: 30)
    /// Rows from which on the title has a row of its own.
    private static let rowsForTitle = 10

    private(set) var form = Form.tooSmall
    /// The tab bar, if several layers are open.
    private(set) var tabs = Area(Size(rows: 0, columns: 0))
    /// The layer, the page and the participants; empty on a very small screen.
    private(set) var title = Area(Size(rows: 0, columns: 0))
    private(set) var page = Area(Size(rows: 0, columns: 0))
    /// The title of the list.
    private(set) var listTitle = Area(Size(rows: 0, columns: 0))
    private(set) var list = Area(Size(rows: 0, columns: 0))
    /// Who changed the current record.
    private(set) var blame = Area(Size(rows: 0, columns: 0))
    /// The full text of the current record; its first row is a rule.
    private(set) var detail = Area(Size(rows: 0, columns: 0))
    /// Between page and list if they are side by side.
    private(set) var divider: Area?
    /// Everything between the title and the status line except `foot`.
    private(set) var body = Area(Size(rows: 0, columns: 0))
    /// Editor or card.
    private(set) var foot = Area(Size(rows: 0, columns: 0))
    private(set) var status = Area(Size(rows: 0, columns: 0))
    private(set) var footer = Area(Size(rows: 0, columns: 0))
    private var blameRows = 0

    /// - Parameters:
    ///   - tabRows: Rows for the tab bar.
    ///   - footRows: Rows that an open editor or card requests.
    ///   - showsDetail: nil shows the detail if it fits.
    ///   - besideShift: Columns, and `stackedShift` rows, that the user has given to the page.
    ///   - isForReading: Whether the user chose the reading view, which never needs more than its own width.
    init(
        _ size: Size, tabRows: Int, focus: DocumentState.Pane, footRows: Int, showsDetail: Bool?,
        showsBlame: Bool = false, isForReading: Bool = false, isZoomed: Bool = false, besideShift: Int = 0,
        stackedShift: Int = 0
    ) {
        guard size.rows >= Self.smallest.rows, size.columns >= Self.smallest.columns else { return }
        let (bar, rest) = Area(size).split(top: tabRows)
        tabs = bar
        let (upper, last) = rest.split(bottom: 2)
        let (top, main) = upper.split(top: size.rows < Self.rowsForTitle ? 0 : 1)
        title = top
        (status, footer) = last.split(top: 1)
        (body, foot) = main.split(bottom: min(footRows, main.rows - 2))
        let showsDetail = focus == .thread ? true : showsDetail
        blameRows = showsBlame ? 1 : 0
        form =
            switch (size.columns, body.rows) {
            case _ where isZoomed: .single
            case (110..., _): .beside
            case (60..., 8...): .stacked
            default: .single
            }
        switch form {
        case .tooSmall: return
        case .single:
            if focus == .page { setPage(body) } else { setList(body, showsDetail) }
        case .stacked:
            // At 80x24, 14 rows are left to the page.
            let wanted = max(body.rows / 3, body.rows - 14)
            let extra = showsDetail == true ? 4 : 0
            let (top, bottom) = body.split(
                bottom: max(4, min(min(body.rows * 2 / 5, wanted) + extra - stackedShift, body.rows - 2)))
            setPage(top)
            setList(bottom, showsDetail)
        case .beside:
            let (left, rest) = body.split(
                left: max(
                    30,
                    min(
                        Self.pageColumns(of: size.columns, isForReading: isForReading) + besideShift, size.columns - 31)
                ))
            let (divider, right) = rest.split(left: 1)
            self.divider = divider
            // A blank column keeps the text off the divider.
            setPage(left.split(right: 1).rest)
            setList(right, showsDetail)
        }
    }

    private mutating func setPage(_ area: Area) { page = area }

    private mutating func setList(_ area: Area, _ showsDetail: Bool?) {
        let below: Area
        (listTitle, below) = area.split(top: 1)
        let wanted =
            switch showsDetail {
            case nil: below.rows >= 14 ? below.rows * 2 / 5 : 0
            case true?: max(5, below.rows / 2)
            case false?: 0
            }
        (list, detail) = below.split(bottom: min(wanted, max(0, below.rows - 2)))
        (list, blame) = list.split(bottom: min(blameRows, max(0, list.rows - 1)))
    }

    /// Room for a full-width reading view first; then for the layout view of most pages; then for list rows with all
    /// columns.
    private static func pageColumns(of columns: Int, isForReading: Bool) -> Int {
        columns < 154 || isForReading ? min(83, columns - 50) : min(columns - 70, 136)
    }
}

extension AppState {
    var layout: DocumentLayout {
        DocumentLayout(
            size, tabRows: tabRows, focus: document?.focus ?? .list, footRows: footRows,
            showsDetail: document?.showsDetail, showsBlame: document?.showsBlame ?? false,
            isForReading: document?.page.chosenView == .reading, isZoomed: document?.isZoomed ?? false,
            besideShift: document?.besideShift ?? 0, stackedShift: document?.stackedShift ?? 0)
    }

    /// The rows that an open editor or card requests.
    var footRows: Int {
        if let editor = document?.editor {
            return 1 + min(8, max(3, WrappedInput(editor.input, columns: size.columns - 2).rows.count))
        }
        if document?.presence.isShown == true { return 1 + participantLines(columns: size.columns).count }
        return 0
    }
}
