import { UsageError } from './action/arguments.ts'
import { ApiRefusal, ApiUnreachable } from './action/client.ts'

/** Why a command failed, for people and for programs. */
export interface Failure {
  readonly exit: 1 | 2
  /** Status of the API's answer. */
  readonly status?: number
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

/** Undefined for a fault of ours. */
export function failureOf(fault: unknown): Failure | undefined {
  if (fault instanceof UsageError) return { exit: 2, detail: fault.message }
  if (fault instanceof ApiUnreachable) return { exit: 1, detail: fault.message }
  if (!(fault instanceof ApiRefusal)) return undefined
  const { code, errors } = (fault.body ?? {}) as Pick<Failure, 'code' | 'errors'>
  return {
    exit: 1,
    status: fault.status,
    detail: fault.message,
    ...(code === undefined ? {} : { code }),
    ...(errors === undefined ? {} : { errors }),
  }
}

/** For people: a line for each thing that is wrong. As JSON: the body of the API's refusals, and its status. */
export function failureText(failure: Failure, isJson: boolean): string {
  const { exit, detail, errors = [] } = failure
  if (isJson) {
    const { exit: _exit, ...body } = failure
    return JSON.stringify(body, null, 2)
  }
  // `detail` names the first.
  const more = errors.slice(1).map(({ field, message }) => `${field}: ${message}`)
  return [detail, ...more, ...(exit === 2 ? ['Run sauti --help for details.'] : [])].join('\n')
}
