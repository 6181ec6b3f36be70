/** What was not done in a call that went on; of calls of older databases it is not known. */
export const callProblemSchema = `
ALTER TABLE calls ADD COLUMN problem_code TEXT NOT NULL DEFAULT '';
`
