import { StoreError } from '../errors.ts'

export const threadLost = (cause?: Error): StoreError =>
  new StoreError('store.unusable', 'the database thread has stopped', { cause })
