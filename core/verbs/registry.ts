import { dial } from './dial.ts'
import { gather } from './gather.ts'
import { hangup } from './hangup.ts'
import { pause } from './pause.ts'
import { play } from './play.ts'
import { record } from './record.ts'
import { recordSession } from './record-session.ts'
import { redirect } from './redirect.ts'
import { reject } from './reject.ts'
import { say } from './say.ts'
import { type KnownVerb, known } from './verb.ts'

const verbs = [
  known(say),
  known(play),
  known(pause),
  known(redirect),
  known(hangup),
  known(record),
  known(recordSession),
  known(dial),
  known(gather),
  known(reject),
]

/** The vocabulary: every verb by its name, case-sensitive. */
export const vocabulary: ReadonlyMap<string, KnownVerb> = new Map(verbs.map(verb => [verb.name, verb]))
