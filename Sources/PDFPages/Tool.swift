import SystemPackage

/// A program that is run for us, and the package that brings it.
enum Tool: String, CaseIterable {
    case pdfinfo
    case pdftotext
    case pdftoppm
    case qpdf
    case prlimit

    var package: String {
        switch self {
        case .pdfinfo, .pdftotext, .pdftoppm: "poppler-utils"
        case .qpdf: "qpdf"
        case .prlimit: "util-linux"
        }
    }
}

extension PDFTools {
    /// Tools that are not on this machine, each as the error that will tell of it.
    package var missing: [PDFError] {
        Tool.allCases.compactMap { tool in
            do throws(PDFError) { _ = try find(tool) } catch { return error }
            return nil
        }
    }

    /// The full path of a tool in the first directory that has it.
    func find(_ tool: Tool) throws(PDFError) -> FilePath {
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
