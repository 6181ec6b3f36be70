/**
 * Schema 1. Rows of a call refer to it without foreign keys: a unit may write a hold before its call, and a key that
 * is checked at COMMIT would fail the units that share the transaction. `check.ts` proves what a key would have.
 */
export const firstSchema = `
CREATE TABLE accounts (
  uuid TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  balance INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  grace_amount INTEGER NOT NULL DEFAULT 0,
  credit_limit INTEGER NOT NULL DEFAULT 0,
  max_concurrent_calls INTEGER NOT NULL DEFAULT 50,
  max_calls_per_second INTEGER NOT NULL DEFAULT 10,
  endpoint_voice_inbound TEXT NOT NULL DEFAULT '',
  endpoint_voice_outbound TEXT NOT NULL DEFAULT '',
  endpoint_status TEXT NOT NULL DEFAULT '',
  fallback_mode TEXT NOT NULL CHECK (fallback_mode IN ('message', 'play', 'drop')),
  fallback_value TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  event_seq INTEGER NOT NULL DEFAULT 0,
  created_unix INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  is_active INTEGER NOT NULL,
  created_unix INTEGER NOT NULL,
  last_used_unix INTEGER
) STRICT;
CREATE INDEX api_keys_of_account ON api_keys (account_uuid, created_unix);

CREATE TABLE end_users (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  email TEXT NOT NULL COLLATE NOCASE,
  display_name TEXT NOT NULL,
  extension_number TEXT NOT NULL UNIQUE,
  is_active INTEGER NOT NULL,
  created_unix INTEGER NOT NULL,
  UNIQUE (account_uuid, email)
) STRICT;

CREATE TABLE phone_tokens (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  end_user_uuid TEXT NOT NULL REFERENCES end_users (uuid) ON DELETE CASCADE,
  max_concurrent INTEGER NOT NULL,
  expires_unix INTEGER NOT NULL,
  revoked_unix INTEGER,
  created_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX phone_tokens_of_user ON phone_tokens (end_user_uuid);
CREATE INDEX phone_tokens_by_expiry ON phone_tokens (expires_unix);

CREATE TABLE numbers (
  uuid TEXT PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  setup_fee INTEGER NOT NULL CHECK (setup_fee >= 0),
  account_uuid TEXT REFERENCES accounts (uuid),
  friendly_name TEXT NOT NULL DEFAULT '',
  webhook_voice_inbound TEXT NOT NULL DEFAULT '',
  webhook_voice_outbound TEXT NOT NULL DEFAULT '',
  webhook_status TEXT NOT NULL DEFAULT '',
  is_active INTEGER NOT NULL DEFAULT 1,
  acquired_unix INTEGER,
  created_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX numbers_of_account ON numbers (account_uuid, number);

CREATE TABLE trunks (
  uuid TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  transport TEXT NOT NULL,
  username TEXT NOT NULL,
  password TEXT NOT NULL,
  register INTEGER NOT NULL,
  inbound_hosts TEXT NOT NULL,
  prefixes TEXT NOT NULL,
  strip INTEGER NOT NULL,
  prepend TEXT NOT NULL,
  priority INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  max_calls INTEGER NOT NULL,
  max_cps INTEGER NOT NULL,
  codecs TEXT NOT NULL,
  options_ping_seconds INTEGER NOT NULL,
  srtp TEXT NOT NULL,
  created_unix INTEGER NOT NULL
) STRICT;

CREATE TABLE rates (
  direction TEXT NOT NULL CHECK (direction IN ('outbound', 'inbound')),
  prefix TEXT NOT NULL,
  rate_per_minute INTEGER NOT NULL CHECK (rate_per_minute >= 0),
  increment_seconds INTEGER NOT NULL CHECK (increment_seconds > 0),
  minimum_seconds INTEGER NOT NULL CHECK (minimum_seconds >= 0),
  connection_fee INTEGER NOT NULL CHECK (connection_fee >= 0),
  PRIMARY KEY (direction, prefix)
) STRICT, WITHOUT ROWID;

CREATE TABLE destinations (
  prefix TEXT NOT NULL,
  permission TEXT NOT NULL CHECK (permission IN ('blocked', 'allowed')),
  PRIMARY KEY (prefix, permission)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  sid TEXT NOT NULL UNIQUE,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound', 'internal')),
  from_number TEXT NOT NULL,
  to_number TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('initiated', 'ringing', 'answered', 'completed', 'failed')),
  reason_code TEXT NOT NULL,
  duration_seconds INTEGER,
  talk_seconds INTEGER,
  cost INTEGER NOT NULL,
  tts_seconds INTEGER NOT NULL,
  custom_payload TEXT,
  started_unix INTEGER,
  answered_unix INTEGER,
  ended_unix INTEGER,
  created_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX calls_newest ON calls (account_uuid, created_unix DESC, id DESC);
CREATE INDEX calls_live ON calls (account_uuid) WHERE status IN ('initiated', 'ringing', 'answered');

CREATE TABLE legs (
  uuid TEXT PRIMARY KEY,
  call_uuid TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('caller', 'callee')),
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound', 'on-net')),
  trunk_name TEXT NOT NULL,
  number TEXT NOT NULL,
  started_unix INTEGER NOT NULL,
  answered_unix INTEGER,
  ended_unix INTEGER,
  reason_code TEXT NOT NULL
) STRICT;
CREATE INDEX legs_of_call ON legs (call_uuid);
CREATE INDEX legs_live ON legs (uuid) WHERE ended_unix IS NULL;

CREATE TABLE holds (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  call_uuid TEXT NOT NULL,
  leg_uuid TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  rate_prefix TEXT NOT NULL,
  rate_direction TEXT NOT NULL,
  rate_per_minute INTEGER NOT NULL,
  increment_seconds INTEGER NOT NULL,
  minimum_seconds INTEGER NOT NULL,
  connection_fee INTEGER NOT NULL,
  opened_unix INTEGER NOT NULL,
  settled_unix INTEGER,
  charge INTEGER CHECK (charge >= 0),
  talk_seconds INTEGER,
  billed_seconds INTEGER
) STRICT;
CREATE INDEX holds_open ON holds (account_uuid) WHERE settled_unix IS NULL;

CREATE TABLE ledger_transactions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('call', 'number', 'credit', 'speech')),
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  reference TEXT,
  hold_uuid TEXT,
  call_uuid TEXT,
  details TEXT NOT NULL,
  created_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_newest ON ledger_transactions (account_uuid, id DESC);
CREATE UNIQUE INDEX ledger_reference ON ledger_transactions (account_uuid, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX ledger_hold ON ledger_transactions (hold_uuid) WHERE hold_uuid IS NOT NULL;

CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY,
  transaction_id INTEGER NOT NULL REFERENCES ledger_transactions (id),
  book TEXT NOT NULL,
  amount INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_entries_of_transaction ON ledger_entries (transaction_id);

CREATE TRIGGER ledger_transactions_keep BEFORE UPDATE ON ledger_transactions BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_transactions_stay BEFORE DELETE ON ledger_transactions
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entries_keep BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entries_stay BEFORE DELETE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries WHEN NEW.book GLOB 'customer:*'
BEGIN UPDATE accounts SET balance = balance + NEW.amount WHERE uuid = substr(NEW.book, 10); END;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  seq INTEGER NOT NULL,
  code TEXT NOT NULL,
  call_uuid TEXT,
  sid TEXT,
  number TEXT,
  custom_payload TEXT,
  data TEXT NOT NULL,
  created_unix INTEGER NOT NULL,
  UNIQUE (account_uuid, seq)
) STRICT;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id INTEGER NOT NULL REFERENCES events (id),
  account_uuid TEXT NOT NULL,
  call_uuid TEXT,
  url TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_unix INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_endpoints (
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  url TEXT NOT NULL,
  failures INTEGER NOT NULL,
  last_failure_unix INTEGER NOT NULL,
  PRIMARY KEY (account_uuid, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE recordings (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  call_uuid TEXT NOT NULL,
  call_sid TEXT NOT NULL,
  path TEXT NOT NULL,
  duration_ms INTEGER,
  size_bytes INTEGER,
  media_format TEXT NOT NULL CHECK (media_format IN ('wav', 'ogg')),
  created_unix INTEGER NOT NULL,
  expires_unix INTEGER,
  deleted_unix INTEGER,
  purged_unix INTEGER
) STRICT;
CREATE INDEX recordings_newest ON recordings (account_uuid, created_unix DESC);
CREATE INDEX recordings_of_call ON recordings (call_uuid);
CREATE INDEX recordings_by_expiry ON recordings (expires_unix) WHERE purged_unix IS NULL;
CREATE INDEX recordings_running ON recordings (uuid) WHERE duration_ms IS NULL;

CREATE TABLE documents (
  uuid TEXT PRIMARY KEY,
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  created_unix INTEGER NOT NULL,
  updated_unix INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_of_account ON documents (account_uuid, created_unix);

CREATE TABLE assets (
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  slug TEXT NOT NULL,
  media_format TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  path TEXT NOT NULL,
  created_unix INTEGER NOT NULL,
  PRIMARY KEY (account_uuid, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  account_uuid TEXT NOT NULL REFERENCES accounts (uuid),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER,
  body TEXT,
  created_unix INTEGER NOT NULL,
  PRIMARY KEY (account_uuid, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_unix);

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  beat_unix INTEGER NOT NULL
) STRICT;
INSERT INTO heartbeat (id, beat_unix) VALUES (1, 0);
`
