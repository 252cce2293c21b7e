import Annotations
import FileCore
import Glibc

// The exchange of the PDF and the hidden file beside it.
extension FileWork {
    /// Exchanges the two files if the PDF still has the version that is to be replaced, and says what came out.
    ///
    /// - Parameters:
    ///   - expected: nil: there must be no file.
    ///   - path: of the PDF.
    func exchange(
        _ intent: LocalFileState.Intent, replacing expected: FileVersion.Contents?, at path: String
    ) async -> (LocalFileCore.Exchange, OwnFileError?) {
        await exchanging(intent, path) { [self] pair in
            var status = stat()
            if lstat(pair.beside, &status) != 0, errno == ENOENT {
                // Another program has removed it. Nothing was exchanged.
                return .changed
            }
            if let expected {
                OpenFile.waitWhileWritten(pair.here)
                guard lstat(pair.here, &status) == 0 else {
                    guard errno == ENOENT else { throw OwnFileError(errno: errno) }
                    return .missing
                }
                guard status.st_mode & S_IFMT == S_IFREG, try contents(of: pair.here) == expected else {
                    return .changed
                }
            } else if lstat(pair.here, &status) == 0 {
                return .changed
            }
            try hooks.withLock { $0.beforeExchange }()
            guard expected != nil else {
                guard PrivateFiles.rename(pair.beside, toFree: pair.here) else {
                    guard errno != EEXIST else { return .changed }
                    throw OwnFileError(errno: errno)
                }
                try sync(pair)
                return .done(nil)
            }
            return try exchange(pair)
        }
    }

    /// Puts the file that came out back in its place.
    func putBack(
        _ intent: LocalFileState.Intent, at path: String
    ) async -> (LocalFileCore.Exchange, OwnFileError?) {
        await exchanging(intent, path) { [self] pair in
            guard access(pair.here, F_OK) != 0, errno == ENOENT else { return try exchange(pair) }
            // The file was deleted meanwhile, and another program's contents must not be.
            guard PrivateFiles.rename(pair.beside, toFree: pair.here) else { throw OwnFileError(errno: errno) }
            try sync(pair)
            return .done(nil)
        }
    }

    private func exchanging(
        _ intent: LocalFileState.Intent, _ path: String,
        _ body: @Sendable (FilePair) throws -> LocalFileCore.Exchange
    ) async -> (LocalFileCore.Exchange, OwnFileError?) {
        await apart { [self] in
            do {
                let pair = try FilePair(path, hidden: intent.hidden, database: name)
                defer { withExtendedLifetime(pair.place) {} }
                return (try body(pair), nil)
            } catch {
                let (problem, error) = Self.failure(error)
                return (.unclear(problem), error)
            }
        }
    }

    private func exchange(_ pair: FilePair) throws -> LocalFileCore.Exchange {
        guard PrivateFiles.exchange(pair.beside, pair.here) else {
            // Not every file system can exchange.
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno), rename(pair.beside, pair.here) == 0 else {
                throw OwnFileError(errno: errno)
            }
            try sync(pair)
            return .done(nil)
        }
        try hooks.withLock { $0.afterExchange }(pair.beside)
        try sync(pair)
        // A program that opened the old file before it was taken out may still be writing it.
        OpenFile.waitWhileWritten(pair.beside)
        return .done(try contents(of: pair.beside))
    }

    private func sync(_ pair: FilePair) throws(OwnFileError) {
        do throws(OwnFileError) {
            try hooks.withLock { $0.beforeSync }()
            try FileRights.sync(folder: pair.folder)
        } catch {
            if case .failed(let code) = error { throw .notSynced(code) }
            throw error
        }
    }

    /// Says what is at the two paths of an intent. What is there, is on the disk then.
    func inspect(
        _ intent: LocalFileState.Intent, at path: String
    ) async -> (LocalFileCore.Inspection, OwnFileError?) {
        await apart { [self] in
            do {
                let pair = try FilePair(path, hidden: intent.hidden, database: name)
                defer { withExtendedLifetime(pair.place) {} }
                for file in [pair.here, pair.beside] { OpenFile.waitWhileWritten(file) }
                // The core forgets changes once it knows that the file has them.
                try sync(pair)
                let (file, hidden) = (
                    try FileVersion.readIfPresent(pair.here), try FileVersion.readIfPresent(pair.beside)
                )
                let isContinued =
                    try hidden != nil && file.map { $0.size > intent.version.size } ?? false
                    && !FileBeginnings.found(in: pair.here, of: [intent.version.contents]).isEmpty
                return (.found(file: file, hidden: hidden, isContinued: isContinued), nil)
            } catch {
                let (problem, error) = Self.failure(error)
                return (.failed(problem), error)
            }
        }
    }

    /// Removes hidden files. Whatever has another name stays.
    ///
    /// - Returns: whether none of them is there any more.
    func remove(_ paths: Set<String>) async -> Bool {
        await apart { [self] in
            var isGone = true
            for path in paths.sorted() {
                let name = String(path.split(scalar: "/").last ?? "")
                guard HiddenFile.isName(name, database: self.name) else { continue }
                do {
                    let place = try FilePlace(of: path, keepsLast: true)
                    defer { withExtendedLifetime(place) {} }
                    guard unlink(place.here) == 0 || errno == ENOENT else { throw OwnFileError(errno: errno) }
                    try FileRights.sync(folder: place.folderPath)
                } catch FilePlace.Problem.failed(ENOENT), FilePlace.Problem.failed(ENOTDIR) {} catch { isGone = false }
            }
            return isGone
        }
    }
}
