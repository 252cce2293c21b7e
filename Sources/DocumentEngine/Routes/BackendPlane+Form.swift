import EngineCore
import Hummingbird
import SyncProtocol

extension BackendPlane {
    /// An upload as a form: the part `file`, and what else is wished as further parts.
    func receiveForm(_ exchange: Exchange) async throws -> (Upload, Intake.Wish) {
        let form = try await IncomingForm.read(
            exchange,
            IncomingForm.Rules(
                isFile: { $0.name == "file" },
                fieldLimit: { $0 == "attachment" ? Self.annotationFileBytes : 4096 },
                fileLimit: intake.limit, receive: intake.blobs.receive))
        guard let file = form.files.first else {
            throw Refusal(.badRequest, #"the form has no part "file" with the PDF"#)
        }
        let wish = Intake.Wish(form, named: file.fileName)
        try await intake.check(wish.id, wish)
        return (file.upload, wish)
    }
}

extension Intake.Wish {
    fileprivate init(_ form: IncomingForm, named fileName: String?) {
        var title = fileName?.split(separator: "/").last.map(String.init)
        if let name = title, name.lowercased().hasSuffix(".pdf") { title = String(name.dropLast(4)) }
        self.init(
            id: form.text("document_id"), title: form.text("title"), fileName: title,
            overwrites: form.text("overwrite_existing_document") == "true", annotations: form["attachment"],
            keepsAnnotations: form.text("keep_current_annotations") == "true")
    }
}
