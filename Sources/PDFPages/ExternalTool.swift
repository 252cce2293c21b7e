import SystemPackage

/// An external program, and the package that contains it.
enum ExternalTool: String, CaseIterable {
    case pdfinfo
    case pdftotext
    case pdftoppm
    case pdffonts
    case qpdf
    case prlimit
    case cp

    var package: String {
        switch self {
        case .pdfinfo, .pdftotext, .pdftoppm, .pdffonts: "poppler-utils"
        case .qpdf: "qpdf"
        case .prlimit: "util-linux"
        case .cp: "coreutils"
        }
    }
}

extension PDFTools {
    /// The tools missing on this machine, each as the error to report.
    package var missing: [PDFError] {
        ExternalTool.allCases.compactMap { tool in
            do throws(PDFError) { _ = try find(tool) } catch { return error }
            return nil
        }
    }

    /// Returns the path of a tool in the first directory that contains it.
    func find(_ tool: ExternalTool) throws(PDFError) -> FilePath {
        for directory in directories {
            let path = FilePath(directory).appending(tool.rawValue)
            if let file = try? FileDescriptor.open(path, .readOnly) {
                try? file.close()
                return path
            }
        }
        throw .toolMissing(name: tool.rawValue, package: tool.package)
    }
}
