-- A server's store in version 1 of its tables: a document whose PDF has a note, and a layer with a record, a deleted
-- record, and the responses to the three changes that produced them.
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1');
CREATE TABLE document (
    id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL, base INTEGER NOT NULL, pages TEXT NOT NULL, page_count INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO document VALUES('doc','Report','8c65171d9bbd4916864da1e6ff292189a6939357037eb349f5f896e0b8c84c2e',431,1795259302509,1,'[[595,842]]',1);
CREATE TABLE base (id INTEGER PRIMARY KEY AUTOINCREMENT);
INSERT INTO base VALUES(1);
CREATE TABLE base_record (
    base INTEGER NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
    created_by TEXT, updated_by TEXT, grp TEXT,
    PRIMARY KEY (base, id)
);
INSERT INTO base_record VALUES(1,'4','{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[10,122,20,20],"pdfObjectId":4,"opacity":1,"creatorName":"Bob","text":"a note","icon":"note"}','annotations',NULL,NULL,NULL,NULL);
CREATE TABLE layer (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL, name TEXT NOT NULL,
    generation TEXT NOT NULL, head INTEGER NOT NULL, horizon INTEGER NOT NULL,
    UNIQUE (document, name)
);
INSERT INTO layer VALUES(1,'doc','review','3d07a66bdcdf0e8e',3,0);
CREATE TABLE deleted_layer (
    document TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (document, name)
) WITHOUT ROWID;
CREATE TABLE record (
    layer INTEGER NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
    created_by TEXT, updated_by TEXT, grp TEXT, revision INTEGER NOT NULL,
    run_client TEXT, run_start INTEGER NOT NULL,
    removed_at INTEGER, removed_by TEXT, removed_client TEXT, cascade INTEGER,
    PRIMARY KEY (layer, id)
);
INSERT INTO record VALUES(1,'n1','{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[10,10,20,20],"text":"words"}','annotations',NULL,'ana','ana',NULL,1,'c1',0,NULL,NULL,NULL,NULL);
INSERT INTO record VALUES(1,'n2','{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[10,10,20,20],"text":"words"}','annotations',NULL,'ana','ana',NULL,3,'c1',2,1795259302931,'ana','c1',NULL);
CREATE TABLE departure (
    layer INTEGER NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    created_by TEXT, grp TEXT, at INTEGER NOT NULL,
    PRIMARY KEY (layer, revision, id)
) WITHOUT ROWID;
CREATE TABLE client (
    layer INTEGER NOT NULL, id TEXT NOT NULL, user_id TEXT, last_n INTEGER NOT NULL, acked INTEGER NOT NULL,
    PRIMARY KEY (layer, id)
) WITHOUT ROWID;
INSERT INTO client VALUES(1,'c1','ana',3,0);
CREATE TABLE answer (
    layer INTEGER NOT NULL, client TEXT NOT NULL, n INTEGER NOT NULL, hash TEXT NOT NULL,
    record TEXT NOT NULL, status TEXT NOT NULL, revision INTEGER, reason TEXT,
    PRIMARY KEY (layer, client, n)
) WITHOUT ROWID;
INSERT INTO answer VALUES(1,'c1',1,'218b41b4db525148d6b8476988328de5','n1','applied',1,NULL);
INSERT INTO answer VALUES(1,'c1',2,'f6a5946f92ad21eefed46aa9beb535ab','n2','applied',2,NULL);
INSERT INTO answer VALUES(1,'c1',3,'c2158b515c729bcb970442329297aa35','n2','applied',3,NULL);
CREATE TABLE revoked (jti TEXT NOT NULL PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX document_sha256 ON document (sha256);
CREATE INDEX document_created_at ON document (created_at, id);
CREATE INDEX document_title ON document (title, id);
CREATE UNIQUE INDEX record_revision ON record (layer, revision);
CREATE INDEX record_root ON record (layer, root) WHERE root IS NOT NULL;
CREATE INDEX record_cascade ON record (layer, cascade) WHERE cascade IS NOT NULL;
CREATE INDEX base_record_root ON base_record (base, root) WHERE root IS NOT NULL;
COMMIT;
