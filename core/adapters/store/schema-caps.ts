const quotaColumns = [
  'max_asset_bytes',
  'max_recording_bytes',
  'max_documents',
  'max_end_users',
  'max_live_tokens',
  'max_stream_connections',
] as const

const counters = ['asset_bytes', 'recording_bytes', 'document_count', 'end_user_count'] as const

const move = (counter: (typeof counters)[number], by: string, account: string) =>
  `UPDATE accounts SET ${counter} = ${counter} + ${by} WHERE uuid = ${account}.account_uuid;`

/** What a recording takes on the disk: nothing before its size is known, nor once its file is gone. */
const stored = (row: 'NEW' | 'OLD') =>
  `(CASE WHEN ${row}.purged_unix IS NULL THEN ifnull(${row}.size_bytes, 0) ELSE 0 END)`

/**
 * Schema 4: what others and its documents make of an account is bounded, and what it stores is counted. A quota that is
 * NULL is the setting's. Triggers move the counters in the transaction that stores or deletes, so they are right after a
 * crash; `check.ts` compares them with the rows.
 */
export const capsSchema = `
ALTER TABLE accounts ADD COLUMN max_inbound_calls INTEGER NOT NULL DEFAULT 100;
ALTER TABLE accounts ADD COLUMN max_dialled_legs INTEGER NOT NULL DEFAULT 200;
${quotaColumns.map(name => `ALTER TABLE accounts ADD COLUMN ${name} INTEGER;`).join('\n')}
${counters.map(name => `ALTER TABLE accounts ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0;`).join('\n')}

UPDATE accounts SET
  asset_bytes = (SELECT ifnull(sum(size_bytes), 0) FROM assets WHERE account_uuid = accounts.uuid),
  recording_bytes = (SELECT ifnull(sum(size_bytes), 0) FROM recordings WHERE account_uuid = accounts.uuid AND purged_unix IS NULL),
  document_count = (SELECT count(*) FROM documents WHERE account_uuid = accounts.uuid),
  end_user_count = (SELECT count(*) FROM end_users WHERE account_uuid = accounts.uuid);

CREATE TRIGGER assets_stored AFTER INSERT ON assets BEGIN ${move('asset_bytes', 'NEW.size_bytes', 'NEW')} END;
CREATE TRIGGER assets_replaced AFTER UPDATE OF size_bytes ON assets
BEGIN ${move('asset_bytes', 'NEW.size_bytes - OLD.size_bytes', 'NEW')} END;
CREATE TRIGGER assets_deleted AFTER DELETE ON assets BEGIN ${move('asset_bytes', '0 - OLD.size_bytes', 'OLD')} END;

CREATE TRIGGER recordings_stored AFTER INSERT ON recordings WHEN NEW.size_bytes IS NOT NULL
BEGIN ${move('recording_bytes', stored('NEW'), 'NEW')} END;
CREATE TRIGGER recordings_moved AFTER UPDATE OF size_bytes, purged_unix ON recordings
BEGIN ${move('recording_bytes', `${stored('NEW')} - ${stored('OLD')}`, 'NEW')} END;

CREATE TRIGGER documents_made AFTER INSERT ON documents BEGIN ${move('document_count', '1', 'NEW')} END;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN ${move('document_count', '0 - 1', 'OLD')} END;
CREATE TRIGGER end_users_made AFTER INSERT ON end_users BEGIN ${move('end_user_count', '1', 'NEW')} END;
CREATE TRIGGER end_users_deleted AFTER DELETE ON end_users BEGIN ${move('end_user_count', '0 - 1', 'OLD')} END;

CREATE INDEX phone_tokens_live ON phone_tokens (account_uuid, expires_unix) WHERE revoked_unix IS NULL;
`
