/** Schema 8: status callbacks that were given up are found without a look at every other event of the account. */
export const givenUpSchema = `
CREATE INDEX events_given_up ON events (account_uuid, seq) WHERE code = 'WH.0400';
`
