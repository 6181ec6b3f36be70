/** Callbacks of one account in their order: those of an account whose servers hang are read apart from the others'. */
export const outboxAccountSchema = `
CREATE INDEX outbox_of_account ON outbox (account_uuid, id);
`
