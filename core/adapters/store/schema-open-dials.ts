/**
 * The Dial that a leg's row stands for until the Dial's last event is written, as JSON: after a crash the next start writes
 * it. Legs of older databases have none.
 */
export const openDialsSchema = `
ALTER TABLE legs ADD COLUMN dial TEXT;
`
