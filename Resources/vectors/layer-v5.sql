-- A layer as stored in version 5 of its tables, before rows had checksums: that of version 1, upgraded. One content lacks its
-- last three bytes.
CREATE TABLE facts(one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL, last_n INTEGER, cursor_revision INTEGER);
INSERT INTO "facts" VALUES(1,'{"server":"http://127.0.0.1:1","document":"doc","layer":"","user":"ana","clientID":"01M7YAP7HP7QJAZ97DBBQM9EZ5","lastN":1,"cursor":"e.0","generation":"g","grant":{"document_id":"doc","user_id":"ana","permissions":["download","read-document","write"],"default_group":null,"creator_name":"Ana","expires_at":1795283634000,"exp":4000000000},"title":"A paper","pdfSHA256":"","pdfBytes":0,"limits":{"recordBytes":1048576,"batchChanges":1000,"batchBytes":4194304,"pageRecords":1000},"lastSync":1795240435313,"clockOffset":-3}',1,0);
CREATE TABLE outbox(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL,
    base_revision INTEGER NOT NULL, thread_revision INTEGER, grp TEXT, content TEXT, base TEXT,
    stage TEXT NOT NULL, n INTEGER NOT NULL, revision INTEGER NOT NULL, reason TEXT NOT NULL,
    made_at INTEGER NOT NULL, taken_root TEXT);
INSERT INTO "outbox" VALUES(1,'14','update',0,NULL,NULL,'{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[100,120,18,18],"text":"Agreed, and moved.","creatorName":"ben","createdAt":"2026-01-07T08:00:00.000Z","updatedAt":"2026-01-07T08:00:00.000Z"}','{"id":"14","content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[545,326,16,16],"pdfObjectId":14,"opacity":1,"creatorName":"ben","createdAt":"2026-01-06T00:14:00.000Z","updatedAt":"2026-01-06T00:14:00.000Z","name":"mark-14","text":"Agreed. Move it up into the abstract?","icon":"comment","postilla":{"inReplyTo":"12"}},"createdBy":null,"updatedBy":null,"group":null}','sealed',1,0,'',1767772800000,NULL);
INSERT INTO "outbox" VALUES(2,'01KEAAAAAAAAAAAAAAAAAAAAAA','create',0,NULL,NULL,'{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[100,120,18,18],"text":"Written on the train","creatorName":"ana","createdAt":"2026-01-07T08:00:00.000Z","updatedAt":"2026-01-07T08:00:00.000Z"}',NULL,'waiting',0,0,'',1767772860000,NULL);
INSERT INTO "outbox" VALUES(3,'30','update',0,NULL,NULL,'{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[100,120,18,18],"text":"Mine","creatorName":"carla","createdAt":"2026-01-07T08:00:00.000Z","updatedAt":"2026-01-07T08:00:00.000Z"}','{"id":"30","content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[545,184,18,18],"pdfObjectId":30,"opacity":1,"creatorName":"carla","createdAt":"2026-01-06T01:24:00.000Z","updatedAt":"2026-01-06T01:24:00.000Z","name":"mark-30","text":"General remark: which program was used?\nPlease name it.","icon":"comment","color":"#ffd933"},"createdBy":null,"updatedBy":null,"group":null}','conflict',0,0,'someone else was first',1767772920000,NULL);
INSERT INTO "outbox" VALUES(4,'12','delete',0,0,NULL,NULL,'{"id":"12","content":{"v":1,"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[92.72,317.4,111.11,9.4],"pdfObjectId":12,"opacity":1,"creatorName":"ana","createdAt":"2026-01-06T00:07:00.000Z","updatedAt":"2026-01-06T00:07:00.000Z","name":"mark-12","color":"#ffd933","blendMode":"multiply","note":"This is the whole argument in one sentence.","rects":[[92.72,317.4,111.11,9.4]]},"createdBy":null,"updatedBy":null,"group":null}','refused',0,0,'needs annotations:delete:self',1767772980000,NULL);
CREATE TABLE own(
    id TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE record(
    id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL,
    created_by TEXT, updated_by TEXT, grp TEXT);
INSERT INTO "record" VALUES('12',0,'{"v":1,"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[92.72,317.4,111.11,9.4],"pdfObjectId":12,"opacity":1,"creatorName":"ana","createdAt":"2026-01-06T00:07:00.000Z","updatedAt":"2026-01-06T00:07:00.000Z","name":"mark-12","color":"#ffd933","blendMode":"multiply","note":"This is the whole argument in one sentence.","rects":[[92.72,317.4,111.11,9.4]]}',NULL,NULL,NULL);
INSERT INTO "record" VALUES('14',0,'{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[545,326,16,16],"pdfObjectId":14,"opacity":1,"creatorName":"ben","createdAt":"2026-01-06T00:14:00.000Z","updatedAt":"2026-01-06T00:14:00.000Z","name":"mark-14","text":"Agreed. Move it up into the abstract?","icon":"comment","postilla":{"inReplyTo":"12"}}',NULL,NULL,NULL);
INSERT INTO "record" VALUES('30',0,'{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[545,184,18,18],"pdfObjectId":30,"opacity":1,"creatorName":"carla","createdAt":"2026-01-06T01:24:00.000Z","updatedAt":"2026-01-06T01:24:00.000Z","name":"mark-30","text":"General remark: which program was used?\nPlease name it.","icon":"comment","color":"#ffd93',NULL,NULL,NULL);
CREATE TABLE shown(
    id TEXT PRIMARY KEY NOT NULL, root TEXT, listed INTEGER NOT NULL, page INTEGER NOT NULL,
    top REAL NOT NULL, kind TEXT NOT NULL, author TEXT, author_key TEXT NOT NULL, created_by TEXT, grp TEXT,
    boxes TEXT NOT NULL, text TEXT NOT NULL, search TEXT NOT NULL, changed INTEGER NOT NULL,
    created INTEGER NOT NULL, delivery TEXT NOT NULL, unread INTEGER NOT NULL DEFAULT 0, warning TEXT, updated_by TEXT, quoted TEXT);
INSERT INTO "shown" VALUES('12',NULL,1,0,317.4,'pspdfkit/markup/highlight','ana','ana',NULL,NULL,'92.72 317.4 111.11 9.4 92.72 317.4 111.11 9.4','This is the whole argument in one sentence.','this is the whole argument in one sentence.
ana
highlight',1767658020000,1767658020000,'delivered',0,NULL,NULL,NULL);
INSERT INTO "shown" VALUES('14',NULL,1,0,326.0,'pspdfkit/note','ben','ben',NULL,NULL,'545.0 326.0 16.0 16.0','Agreed. Move it up into the abstract?','agreed. move it up into the abstract?
ben
note',1767658440000,1767658440000,'unsent',0,NULL,NULL,NULL);
INSERT INTO "shown" VALUES('30',NULL,1,0,184.0,'pspdfkit/note','carla','carla',NULL,NULL,'545.0 184.0 18.0 18.0','General remark: which program was used?
Please name it.','general remark: which program was used?
please name it.
carla
note',1767662640000,1767662640000,'conflict',0,NULL,NULL,NULL);
INSERT INTO "shown" VALUES('01KEAAAAAAAAAAAAAAAAAAAAAA',NULL,1,0,120.0,'pspdfkit/note','ana','ana','ana',NULL,'100.0 120.0 18.0 18.0','Written on the train','written on the train
ana
note',1767772800000,1767772800000,'unsent',0,NULL,NULL,NULL);
CREATE TABLE staged(
    id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL,
    created_by TEXT, updated_by TEXT, grp TEXT);
CREATE INDEX outbox_id ON outbox(id);
CREATE INDEX outbox_stage ON outbox(stage);
CREATE INDEX shown_newest ON shown(changed DESC, id) WHERE listed;
CREATE INDEX shown_author ON shown(author_key, page, top, id) WHERE listed;
CREATE INDEX shown_root ON shown(root, created, id) WHERE root IS NOT NULL;
CREATE INDEX shown_unread ON shown(page, top, id) WHERE listed AND unread;
CREATE INDEX shown_page ON shown(page, top, id, search, quoted) WHERE listed;
CREATE INDEX outbox_taken_root ON outbox(taken_root) WHERE taken_root IS NOT NULL;
CREATE INDEX shown_heading ON shown(id) WHERE listed = 2;
