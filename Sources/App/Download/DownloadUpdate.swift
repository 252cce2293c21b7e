import Annotations
import InstantCore
import PDFPages

// The PDF and its pages.
extension AppState {
    mutating func download() -> [Effect] {
        switch document?.pdf {
        case .missing(let progress)?: document?.pdf = .downloading(progress)
        case .failed?: document?.pdf = .downloading(nil)
        case .downloading?:
            return only(.done("Download in progress; Esc to stop"))
        default:
            return only(.done("The PDF is already downloaded"))
        }
        return [.startDownload]
    }

    mutating func downloaded(_ progress: TransferStatus) {
        switch document?.pdf {
        case .downloading?, .missing?: document?.pdf = .downloading(progress)
        default: break
        }
    }

    mutating func downloadFailed(_ why: String?) {
        guard let document else { return }
        if let why {
            self.document?.pdf = .failed(why)
        } else if case .downloading(let progress) = document.pdf {
            self.document?.pdf = .missing(progress)
        }
    }

    /// Accepts a new or replaced PDF and discards everything read from the previous one.
    mutating func pdfCame(_ info: PDFInfo) -> [Effect] {
        document?.pdf = .ready(info)
        document?.texts = PageTexts()
        document?.quotes = Quotes()
        document?.quotesAsked = false
        document?.areQuotesPrepared = false
        document?.page.forgetText()
        document?.index = DocumentIndex()
        document?.navigation = nil
        return [.loadNavigation]
    }

    mutating func pdfMeasured(_ info: PDFInfo) {
        if document?.pageCount == info.pages.count { document?.pdf = .ready(info) }
    }

    mutating func pageCame(_ index: Int, _ entry: PageTexts.Entry) {
        document?.texts.set(index, entry)
        guard let document else { return }
        self.document?.quotes.read(document.list.window?.rows ?? [], of: index, in: document.texts.glyphs(index))
    }

    /// Reads the marked words of rows on pages that are already loaded.
    mutating func readQuotes(_ rows: [ListRow]) {
        guard let document else { return }
        for page in Set(rows.compactMap(\.pageIndex)) {
            guard let glyphs = document.texts.glyphs(page) else { continue }
            self.document?.quotes.read(rows, of: page, in: glyphs)
        }
    }

    mutating func pageRowsCame(_ index: Int, _ rows: [ListRow]) {
        guard let page = document?.page, page.index == index else { return }
        let rows = document?.pending.applied(to: rows, onPage: index) ?? rows
        document?.page.rows = rows
        document?.page.mark = max(0, min(page.mark, rows.count - 1))
    }
}
