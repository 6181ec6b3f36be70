/** The networks that a trunk's media may come from, as JSON. Trunks of older databases have none. */
export const mediaHostsSchema = `
ALTER TABLE trunks ADD COLUMN media_hosts TEXT NOT NULL DEFAULT '[]';
`
