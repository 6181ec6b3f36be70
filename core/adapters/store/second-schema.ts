/** Schema 2: how the legs of a call were heard stands with the call, as JSON; NULL while it lives and before this. */
export const secondSchema = 'ALTER TABLE calls ADD COLUMN quality TEXT;'
