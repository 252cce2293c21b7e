import Annotations
import FileCore
import FoundationEssentials
import Glibc

/// What earlier engines have left in the folders of local PDFs. All functions block.
struct FoundFiles: Sendable {
    private let folders: FileFolders

    init(_ folders: FileFolders) { self.folders = folders }

    /// Opens all databases. Those on disk that cannot be used are set aside; nothing is lost with those in memory.
    ///
    /// - Returns: the files, and what is damaged.
    func open(_ setup: LocalFile.Setup) -> (files: [LocalFile], damaged: [DamagedKeptFile]) {
        var (files, damaged): ([String: LocalFile], [DamagedKeptFile]) = ([:], [])
        let kept = KeptFiles(folder: folders.data)
        for document in FileDatabase.documents(in: folders.data) {
            do { files[document] = try LocalFile.found(document, in: .data, setup) } catch FileDatabase.Problem
                .unfinished
            {
                if access("\(folders.data)/\(document)/\(EarlierState.name)", F_OK) == 0 {
                    // A state of an earlier version is taken over from there.
                    FileDatabase.removeUnfinished(document: document, in: folders.data)
                } else {
                    _ = FileDatabase.remove(document: document, in: folders.data)
                }
            } catch { damaged.append(kept.setAside(kept.damage(of: document, after: error))) }
        }
        for document in FileDatabase.documents(in: folders.runtime) {
            // If both are found, it was being moved.
            guard files[document] == nil else {
                _ = FileDatabase.remove(document: document, in: folders.runtime)
                continue
            }
            do { files[document] = try LocalFile.found(document, in: .runtime, setup) } catch {
                _ = FileDatabase.remove(document: document, in: folders.runtime)
            }
        }
        for document in FileDatabase.documents(in: folders.data) {
            guard case .damaged(let state) = EarlierStates(folder: folders.data).look(document) else { continue }
            // The folder of a database that is open keeps its name.
            damaged.append(files[document] == nil ? kept.setAside(state) : state)
        }
        damaged += kept.setAside().filter { !damaged.contains($0) }
        return (Array(files.values), damaged)
    }

    /// What engines of earlier versions have left. What they kept in memory had nothing to lose.
    func earlier() -> [EarlierState] { EarlierStates(folder: folders.data).all().states.filter { !$0.isPrivate } }
}
