import Foundation
import Instant

/// The guide "Open a PDF from Document Engine": the life of a document in an application.
///
/// Works on the main actor, as an application with windows does.
@MainActor final class Application: InstantClientDelegate {
    // IMPORTANT: The `instantClient` needs to be kept alive for as long as you want to work with Instant.
    let instantClient: InstantClient
    let backend: Backend
    var documentDescriptor: InstantDocumentDescriptor?
    var pdfViewController: DocumentViewController?

    init(serverURL: URL, backend: Backend) throws(InstantError) {
        instantClient = try InstantClient(serverURL: serverURL)
        self.backend = backend
        instantClient.delegate = self
    }

    // MARK: Obtaining a descriptor, downloading, showing

    func openDocument() async throws(InstantError) {
        let jwt = await backend.token()
        let documentDescriptor = try instantClient.documentDescriptor(forJWT: jwt)
        self.documentDescriptor = documentDescriptor
        documentDescriptor.startListeningForServerChanges()

        // Showing and downloading can happen in either order.
        let pdfDocument = documentDescriptor.editableDocument
        pdfViewController = DocumentViewController(document: pdfDocument)

        if documentDescriptor.isDownloaded {
            documentDescriptor.reauthenticate(withJWT: jwt)
            return
        }
        do {
            try documentDescriptor.download(usingJWT: jwt)
        } catch {
            print(
                "Could not start downloading layer '\(documentDescriptor.layerName)' of document "
                    + "'\(documentDescriptor.identifier)': \(error)")
            throw error
        }
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didMakeProgress progress: DownloadProgress
    ) {
        pdfViewController?.showProgress(progress.received, of: progress.total)
    }

    func instantClient(_ client: InstantClient, didFinishDownloadFor documentDescriptor: InstantDocumentDescriptor) {
        pdfViewController?.refresh()
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFailDownloadWithError error: InstantError
    ) {
        pdfViewController?.show(error)
    }

    // MARK: Synchronizing annotations

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didChangeRecords ids: Set<InstantRecord.ID>, byOthers: Set<InstantRecord.ID>
    ) {
        pdfViewController?.refresh()
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didRejectEdits conflicts: [Conflict]
    ) {
        for conflict in conflicts { print("not accepted: \(conflict.recordID): \(conflict.reason)") }
    }

    func instantClient(_ client: InstantClient, didMissEventsFor documentDescriptor: InstantDocumentDescriptor) {
        pdfViewController?.refresh()
    }

    func instantClient(_ client: InstantClient, didChangeSyncStateFor documentDescriptor: InstantDocumentDescriptor) {
        print("the layer is \(documentDescriptor.documentState)")
    }

    // MARK: Updating the JWT for a layer

    func instantClient(
        _ client: InstantClient, didFailAuthenticationFor documentDescriptor: InstantDocumentDescriptor
    ) async {
        let jwt = await backend.token()
        documentDescriptor.reauthenticate(withJWT: jwt)
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFinishReauthenticationWithJWT jwt: String
    ) {
        // Now it is safe to persist the JWT.
        print("the token is accepted")
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFailReauthenticationWithError error: InstantError
    ) {
        print("\(error) \(error.recoverySuggestion ?? "")")
    }

    // MARK: Losing access to a layer, clearing the local storage

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didLoseAccessBecause reason: String
    ) {
        print(reason)
        pdfViewController = nil
        do {
            try documentDescriptor.removeLocalStorage()
        } catch {
            if error.kind == .unsentEdits { print("keep what was not sent: \(error)") }
        }
    }

    func forgetDocument(_ identifier: String) throws(InstantError) {
        try instantClient.removeLocalStorage(forDocumentIdentifier: identifier)
        try instantClient.removeUnreferencedCacheEntries()
    }

    // MARK: The end

    func run() async throws(InstantError) {
        guard let documentDescriptor else { return }
        try await documentDescriptor.downloadAndWait(usingJWT: await backend.token())
        try await documentDescriptor.syncAndWait()
        for await event in documentDescriptor.events {
            if case .didClose = event { return }
        }
    }

    func finish() async {
        documentDescriptor?.stopListeningForServerChanges()
        await instantClient.close()
    }
}

/// The screen of a document, in place of a view controller.
@MainActor final class DocumentViewController {
    let document: InstantDocument

    init(document: InstantDocument) { self.document = document }

    func showProgress(_ received: Int64, of total: Int64) { print("\(received) of \(total) bytes") }

    func show(_ error: InstantError) { print(error) }

    func refresh() {
        let descriptor = document.documentDescriptor
        print(descriptor.title ?? descriptor.identifier, descriptor.pdfURL?.path ?? "not downloaded")
        for page in 0..<(descriptor.pageCount ?? 0) {
            for annotation in (try? document.annotations(onPage: page)) ?? [] {
                print(annotation.kind.name, annotation.author ?? "unknown", annotation.creationDate ?? .distantPast)
            }
        }
    }
}
