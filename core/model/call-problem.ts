/**
 * What was not done in a call that went on, by the event that reports it: a document that failed as the reason with which the
 * call would have ended, audio and recordings as the event itself.
 */
export const problemsByEvent = {
  'DOC.0400': 'END.3422',
  'DOC.0404': 'END.3404',
  'DOC.0408': 'END.3408',
  'DOC.0413': 'END.3413',
  'DOC.0502': 'END.3502',
  'PLAY.0400': 'PLAY.0400',
  'PLAY.0404': 'PLAY.0404',
  'PLAY.0408': 'PLAY.0408',
  'PLAY.0413': 'PLAY.0413',
  'PLAY.0415': 'PLAY.0415',
  'SAY.0404': 'SAY.0404',
  'SAY.0413': 'SAY.0413',
  'SAY.0500': 'SAY.0500',
  'REC.0400': 'REC.0400',
} as const

export type CallProblem = (typeof problemsByEvent)[keyof typeof problemsByEvent]

const byEvent: Readonly<Record<string, CallProblem>> = problemsByEvent

/** Undefined: the event reports no such problem. */
export const problemOfEvent = (event: string): CallProblem | undefined => byEvent[event]
