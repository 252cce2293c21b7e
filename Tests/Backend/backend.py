#!/usr/bin/env python3
"""Everything that a customer's backend does: documents, layers, annotations, comments, files, tokens.

    backend.py ADDRESS SECRET [TOKEN]

Exits with 0 if every answer matches the vendor's description; otherwise reports the step that failed. A TOKEN is
revoked at the end."""

import hashlib
import json
import sys

from engine import Engine, Refused, document, form, small_pdf


def note(text, **more):
    content = {"v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [20, 20, 32, 32], "text": text}
    return {"content": content, **more}


def highlight(**more):
    box = [72, 68, 80, 24]
    content = {"v": 1, "type": "pspdfkit/markup/highlight", "pageIndex": 0, "bbox": box, "rects": [box]}
    return {"content": content, **more}


def refused(status, reason, call, *arguments):
    try:
        call(*arguments)
    except Refused as error:
        assert (error.status, error.reason) == (status, reason), error
    else:
        raise AssertionError(f"this should have been refused with {status} {reason}")


def documents(engine):
    """Upload, list, properties, the file itself, overwrite."""
    pdf = small_pdf()
    made = engine.upload(pdf, "contract-1", "Contract")
    assert made["document_id"] == "contract-1" and made["title"] == "Contract" and made["errors"] == []
    assert made["sourcePdfSha256"] == hashlib.sha256(pdf).hexdigest()
    assert made["password_protected"] is False
    refused(400, "already_exists", engine.upload, pdf, "contract-1")
    drawn = engine.upload(pdf)["document_id"]
    for number in range(2, 5):
        engine.upload(pdf, f"contract-{number}", f"Contract {number}")
    ids = [each["document_id"] for each in engine.documents(page_size=2)]
    assert len(ids) == len(set(ids)) and {drawn, "contract-1", "contract-4"} <= set(ids), ids
    named = engine.get("/api/documents", title="contract", order_by="title", order_direction="desc")
    assert [each["title"] for each in named["data"]][:1] == ["Contract 4"]
    assert named["document_count"] == 4

    path = document("contract-1")
    assert engine.get(path + "/properties")["data"]["byteSize"] == len(pdf)
    info = engine.get(path + "/document_info")["data"]
    assert info["pageCount"] == 1 and info["pages"][0]["width"] == 612
    assert engine.send("GET", path + "/pdf", query={"source": "true"})[0] == pdf
    other = engine.upload(small_pdf("Other"), "contract-2", overwrite=True)
    assert other["sourcePdfSha256"] != made["sourcePdfSha256"]
    engine.delete(document(drawn))
    refused(404, "document_not_found", engine.get, document(drawn) + "/properties")


def layers(engine):
    path = document("contract-1")
    assert engine.write("POST", path + "/layers", {"name": "review"})["data"] == {"name": "review", "errors": []}
    engine.write("POST", document("contract-1", "review") + "/annotations", note("first", id="n1", user_id="ana"))
    engine.write("POST", path + "/layers", {"name": "review/copy", "source_layer_name": "review"})
    copy = engine.get(document("contract-1", "review/copy") + "/annotations")["data"]["annotations"]
    assert [each["id"] for each in copy] == ["n1"]
    names = engine.get(path + "/layers")["data"]
    assert {"review", "review/copy"} <= set(names), names
    engine.delete(document("contract-1", "review/copy"))
    assert "review/copy" not in engine.get(path + "/layers")["data"]


def annotations(engine):
    path = document("contract-1", "review") + "/annotations"
    one = engine.get(path + "/n1")
    assert one["createdBy"] == "ana" and one["group"] is None and one["content"]["text"] == "first"
    engine.write("PUT", path + "/n1", note("second", user_id="bo", group="crew"))
    one = engine.get(path + "/n1")
    assert (one["createdBy"], one["updatedBy"], one["group"]) == ("ana", "bo", "crew")
    assert one["content"]["text"] == "second"

    many = [note(str(number), id=f"m{number}", group="batch") for number in range(1200)]
    done = engine.write("POST", path, {"annotations": many})
    assert done["result"] == "success" and done["status"] == 200, done
    assert len(done["data"]) == 1200 and done["failing_paths"] == []
    listed = engine.get(path)["data"]
    assert len(listed["annotations"]) == 1000 and listed["truncated"] is True
    lines, kind = engine.send("GET", path, accept="application/x-ndjson")
    assert kind == "application/x-ndjson"
    assert len([json.loads(line) for line in lines.splitlines()]) == 1201
    on_page = engine.get(document("contract-1", "review") + "/pages/1/annotations")["data"]
    assert on_page["annotations"] == []

    changed = engine.write("PUT", path, {"annotations": [note("new", id="m1"), note("x", id="nowhere")]})
    assert changed["result"] == "partial_failure", changed
    assert changed["failing_paths"][0]["path"] == "$.annotations[1]"
    wrong = engine.write("POST", path, {"annotations": [{"content": {"text": "neither type nor page"}}]})
    assert wrong["result"] == "failure" and wrong["failing_paths"][0]["path"] == "$.annotations[0]"
    refused(422, "invalid", engine.write, "POST", path, {"content": {"v": 1, "type": "pspdfkit/note"}})
    gone = engine.write("DELETE", path, {"annotationIds": ["m1", "m2"]})
    assert gone["result"] == "success" and len(gone["data"]) == 2
    engine.delete(path + "/m3")
    refused(404, "not_found", engine.get, path + "/m3")
    assert engine.write("DELETE", path, {"annotationIds": "all"})["result"] == "success"
    assert engine.get(path)["data"] == {"annotations": [], "truncated": False}


def attachments(engine):
    picture = b"\x89PNG and the rest of a picture"
    name = hashlib.sha256(picture).hexdigest()
    image = {"v": 1, "type": "pspdfkit/image", "pageIndex": 0, "bbox": [1, 2, 30, 40], "imageAttachmentId": name}
    path = document("contract-1", "review") + "/annotations"
    refused(422, "invalid", engine.write, "POST", path, {"content": image})
    record = json.dumps({"id": "image", "content": image}).encode()
    body, kind = form([("annotation", None, "application/json", record), (name, "a.png", "image/png", picture)])
    engine.send("POST", path, body, kind)
    assert engine.send("GET", document("contract-1") + "/attachments/" + name)[0] == picture
    engine.delete(path + "/image")


def comments(engine):
    layer = document("contract-1", "review")
    made = engine.write(
        "POST", layer + "/comments",
        {"annotation": highlight(id="h1"), "comments": [{"content": {"text": "why?"}, "user_id": "ana"}]})["data"]
    assert made["annotation"]["id"] == "h1" and len(made["comments"]) == 1
    engine.write(
        "POST", layer + "/annotations/h1/comments",
        {"comments": [{"id": "c2", "content": {"text": "because"}, "user_id": "bo", "group": "crew"}]})
    thread = engine.get(layer + "/annotations/h1/comments")["data"]["comments"]
    assert [each["content"]["text"] for each in thread] == ["why?", "because"]
    assert (thread[1]["createdBy"], thread[1]["group"]) == ("bo", "crew")
    listed = engine.get(layer + "/annotations")["data"]["annotations"]
    assert [each["id"] for each in listed] == ["h1"], "comments are not annotations"


def whole_layers(engine):
    """Export and import of Instant JSON, XFDF and PDF."""
    layer = document("contract-1", "review")
    file = engine.get(layer + "/document.json")
    assert file["format"] == "https://pspdfkit.com/instant-json/v1"
    assert len(file["annotations"]) == 1 and len(file["comments"]) == 2
    body, kind = form([("instant.json", "instant.json", "application/json", json.dumps(file).encode())])
    applied = json.loads(engine.send("POST", document("contract-3", "applied") + "/apply_instant_json", body, kind)[0])
    assert applied["data"]["errors"] == []
    assert len(engine.get(document("contract-3", "applied") + "/document.json")["comments"]) == 2
    xfdf, _ = engine.send("GET", layer + "/document.xfdf")
    assert b"<highlight" in xfdf and b"because" in xfdf
    for name, attachment in [("from-json", json.dumps(file).encode()), ("from-xfdf", xfdf)]:
        assert engine.upload(small_pdf(), name, attachment=attachment)["errors"] == []
        thread = engine.get(document(name) + "/annotations/h1/comments")["data"]["comments"]
        assert [each["content"]["text"] for each in thread] == ["why?", "because"], thread
    pdf, kind = engine.send("GET", layer + "/pdf")
    assert kind == "application/pdf" and pdf.startswith(b"%PDF-")
    copy = engine.write("POST", "/api/copy_document", {"document_id": "contract-1", "new_document_id": "copy"})
    assert copy["data"]["document_id"] == "copy"
    assert len(engine.get(document("copy", "review") + "/document.json")["comments"]) == 2


def secrets_and_tokens(engine, token):
    refused(401, "unauthorized", Engine(engine.address, "wrong").get, "/api/documents")
    assert json.loads(Engine(engine.address, "").send("GET", "/healthcheck")[0])["status"] == "ok"
    if token:
        engine.write("POST", "/api/revoke", {"jwts": [token]})


def main(address, secret, token=None):
    engine = Engine(address, secret)
    for step in [documents, layers, annotations, attachments, comments, whole_layers]:
        step(engine)
        print(f"{step.__name__}: as described")
    secrets_and_tokens(engine, token)
    print("secrets and tokens: as described")


if __name__ == "__main__":
    main(*sys.argv[1:])
