/**
 * - `waiting`: for its turn to leave the switch
 * - `placing`: its rows and its hold are on their way to the database
 * - `trying`: media is opened, the INVITE is out
 * - `agreeing`: a 2xx has come, and media reads what it answers: one that it cannot use is no answer
 * - `answered`
 * - `withdrawn`: over while its rows were on their way: they are closed once they exist
 * - `stopped`: over, and the call's last unit closes its rows
 * - `over`
 */
export type BranchState =
  | 'new'
  | 'waiting'
  | 'placing'
  | 'trying'
  | 'agreeing'
  | 'answered'
  | 'withdrawn'
  | 'stopped'
  | 'over'

export type BranchInput =
  /** The next attempt has to wait for its turn. */
  | 'queue'
  /** Its rows are given to the database. */
  | 'place'
  /** The database has taken them. */
  | 'placed'
  /** The database has refused them: nothing was written. */
  | 'refused'
  /** 2xx. */
  | 'accepted'
  /** Media can use the answer. */
  | 'agreed'
  /** The leg has failed, and another route is tried. */
  | 'fail-over'
  /** It failed, ended or was cancelled, and closes its rows itself. */
  | 'end'
  /** The call ends, or its only leg does. */
  | 'stop'

/** A missing cell means: absorb. */
export const branchTable: Readonly<Record<BranchState, Readonly<Partial<Record<BranchInput, BranchState>>>>> = {
  new: { queue: 'waiting', place: 'placing', end: 'over', stop: 'stopped' },
  waiting: { place: 'placing', end: 'over', stop: 'stopped' },
  placing: { placed: 'trying', refused: 'new', end: 'withdrawn', stop: 'stopped' },
  trying: { accepted: 'agreeing', 'fail-over': 'new', end: 'over', stop: 'stopped' },
  agreeing: { agreed: 'answered', end: 'over', stop: 'stopped' },
  answered: { end: 'over', stop: 'stopped' },
  withdrawn: { placed: 'over', refused: 'over' },
  stopped: {},
  over: {},
}

/** The states that nothing but its closing follows. */
export const isBranchOver: Readonly<Record<BranchState, boolean>> = {
  new: false,
  waiting: false,
  placing: false,
  trying: false,
  agreeing: false,
  answered: false,
  withdrawn: true,
  stopped: true,
  over: true,
}
