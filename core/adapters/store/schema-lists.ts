/**
 * Schema 6: lists read an index and not the rows. That of calls holds all that they are filtered by, so that `total` and
 * `search` of an account with 100,000 calls touch no call; recordings of a call are found by it; and a start finds marks of
 * requests in flight without a look at the others.
 */
export const listsSchema = `
DROP INDEX calls_newest;
CREATE INDEX calls_newest ON calls (account_uuid, created_unix DESC, id DESC, direction, status, from_number, to_number);
DROP INDEX recordings_of_call;
CREATE INDEX recordings_of_call ON recordings (call_uuid, account_uuid, created_unix DESC);
CREATE INDEX idempotency_in_flight ON idempotency (account_uuid) WHERE status IS NULL;
`
