import { StoreError, type StoreErrorCode } from '../errors.ts'
import type { Fault } from './protocol.ts'

export function faultOf(cause: unknown): Fault {
  if (!(cause instanceof Error)) return { name: 'Error', message: String(cause), code: undefined, stack: undefined }
  const { name, message, stack } = cause
  const { code } = cause as NodeJS.ErrnoException
  return { name, message, code, stack }
}

/** The error again, on the other side: a `StoreError` is one, and a code stays. */
export function errorOf({ name, message, code, stack }: Fault): Error {
  const error =
    code?.startsWith('store.') === true ? new StoreError(code as StoreErrorCode, message) : new Error(message)
  if (!(error instanceof StoreError)) {
    error.name = name
    if (code !== undefined) Object.assign(error, { code })
  }
  if (stack !== undefined) error.stack = stack
  return error
}
