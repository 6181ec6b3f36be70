import type { AuditBed } from './bed.ts'

/** The result of a probe: how much was tried, and what did not hold. */
export interface Finding {
  /** Inputs that were sent: messages, requests, connections, packets. */
  readonly inputs: number
  /** Empty: the promise held for all of them. */
  readonly broken: readonly string[]
}

/** One promise of the switch, tried from outside. */
export interface Probe {
  readonly name: string
  /** The group of the table in docs/security.md. */
  readonly group: 'Money and tenants' | 'Carriers and unknown sources' | 'Load' | 'Media' | 'Phones' | 'API'
  /** What the switch promises, in one sentence. */
  readonly promise: string
  run(bed: AuditBed): Promise<Finding>
}

/** Collects what did not hold. */
export class Findings {
  inputs = 0
  readonly broken: string[] = []

  /** Notes `what` when it does not hold. */
  expect(holds: boolean, what: string): void {
    if (!holds && this.broken.length < 20) this.broken.push(what)
  }

  equal(actual: unknown, expected: unknown, what: string): void {
    this.expect(Object.is(actual, expected), `${what}: ${String(actual)} instead of ${String(expected)}`)
  }
}
