import { StoreError } from '../errors.ts'

/** A thread that was given a request has died; whether it was done is not known. */
export const threadLost = (cause?: Error): StoreError =>
  new StoreError('store.unusable', 'the database thread has stopped', { cause })

/** No thread was given the request. */
export const threadAway = (): StoreError =>
  new StoreError('store.away', 'the database thread has stopped and is being started again')
