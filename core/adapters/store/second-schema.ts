/**
 * Schema 2: how the legs of a call were played is with the call, as JSON, NULL while it lives and before this. Events
 * are purged when they are old, and no callback waits for them.
 */
export const secondSchema = `
ALTER TABLE calls ADD COLUMN quality TEXT;
CREATE INDEX outbox_of_event ON outbox (event_id);
`
