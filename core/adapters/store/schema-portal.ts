/**
 * Schema 7: sessions of the portal and links that open one, by the hash of their secret alone; every text that a hosted
 * document has had; and what operators have changed.
 */
export const portalSchema = `
CREATE TABLE portal_sessions (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT REFERENCES accounts (uuid),
  hash TEXT NOT NULL UNIQUE,
  key_uuid TEXT,
  origin TEXT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_unix INTEGER NOT NULL,
  seen_unix INTEGER NOT NULL,
  expires_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX portal_sessions_of_account ON portal_sessions (account_uuid, created_unix);
CREATE TABLE portal_links (
  hash TEXT PRIMARY KEY,
  account_uuid TEXT REFERENCES accounts (uuid),
  origin TEXT NOT NULL,
  expires_unix INTEGER NOT NULL
) STRICT;
CREATE TABLE document_revisions (
  id INTEGER PRIMARY KEY,
  document_uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  created_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX document_revisions_of_document ON document_revisions (document_uuid, id);
INSERT INTO document_revisions (document_uuid, name, body, created_unix) SELECT uuid, name, body, updated_unix FROM documents;
CREATE TABLE operator_changes (
  id INTEGER PRIMARY KEY,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  before TEXT,
  after TEXT,
  created_unix INTEGER NOT NULL
) STRICT;
`
