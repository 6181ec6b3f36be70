/** Where a trunk's media comes from. That of trunks of older databases is learned, as it was. */
export const mediaSourceSchema = `
ALTER TABLE trunks ADD COLUMN media_source TEXT NOT NULL DEFAULT 'learned';
`
