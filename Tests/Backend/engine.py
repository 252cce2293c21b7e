"""A client of the Document Engine API, like that of a customer's backend. It uses only the standard library, follows
the vendor's public description, and does not depend on which server answers."""

import json
import secrets
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """An error response: `{"error": {"reason", "description"}}`."""

    def __init__(self, status, body):
        self.status = status
        self.reason = body.get("error", {}).get("reason")
        super().__init__(f"{status} {body}")


def segment(name):
    return urllib.parse.quote(name, safe="")


def form(parts):
    """Encodes parts (name, file name or None, content type or None, bytes) as `multipart/form-data`."""
    boundary = secrets.token_hex(16)
    body = b""
    for name, file_name, content_type, content in parts:
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        if file_name:
            body += f'; filename="{file_name}"'.encode()
        if content_type:
            body += f"\r\nContent-Type: {content_type}".encode()
        body += b"\r\n\r\n" + content + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class Engine:
    def __init__(self, address, secret):
        self.address = address.rstrip("/")
        self.secret = secret

    def send(self, method, path, body=None, content_type=None, accept=None, query=None):
        """Returns the bytes of the answer and its content type."""
        if query:
            path += "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(self.address + path, data=body, method=method)
        request.add_header("Authorization", f'Token token="{self.secret}"')
        if content_type:
            request.add_header("Content-Type", content_type)
        if accept:
            request.add_header("Accept", accept)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read(), answer.headers.get_content_type()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.loads(error.read() or b"{}")) from None

    def get(self, path, **query):
        return json.loads(self.send("GET", path, query=query)[0])

    def write(self, method, path, value):
        body, _ = self.send(method, path, json.dumps(value).encode(), "application/json")
        return json.loads(body)

    def delete(self, path):
        return json.loads(self.send("DELETE", path)[0])

    def upload(self, pdf, document_id=None, title=None, attachment=None, overwrite=False):
        parts = [("file", "file.pdf", "application/pdf", pdf)]
        if document_id:
            parts.append(("document_id", None, None, document_id.encode()))
        if title:
            parts.append(("title", None, None, title.encode()))
        if overwrite:
            parts.append(("overwrite_existing_document", None, None, b"true"))
        if attachment:
            parts.append(("attachment", "attachment", "application/octet-stream", attachment))
        body, content_type = form(parts)
        return json.loads(self.send("POST", "/api/documents", body, content_type)[0])["data"]

    def documents(self, page_size=100, **query):
        """Yields all documents, page by page."""
        cursor = None
        while True:
            if cursor:
                query["cursor"] = cursor
            page = self.get("/api/documents", page_size=page_size, **query)
            yield from page["data"]
            cursor = page["next_cursor"]
            if not cursor:
                return


def document(document_id, layer=None):
    path = f"/api/documents/{segment(document_id)}"
    return path if layer is None else f"{path}/layers/{segment(layer)}"


def small_pdf(word="Word"):
    """Returns a PDF of one page."""
    content = f"BT /F 24 Tf 72 700 Td ({word}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
