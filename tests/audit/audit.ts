import { AuditBed } from './bed.ts'
import type { Finding, Probe } from './probe.ts'
import { apiProbes } from './probes/api.ts'
import { carrierProbes } from './probes/carriers.ts'
import { floodProbes } from './probes/floods.ts'
import { loadProbes } from './probes/load.ts'
import { longInputProbes } from './probes/long-inputs.ts'
import { mediaProbes } from './probes/media.ts'
import { moneyProbes } from './probes/money.ts'
import { nameProbes } from './probes/names.ts'
import { otherAccounts } from './probes/other-accounts.ts'
import { phoneProbes } from './probes/phones.ts'
import { writtenDataProbes } from './probes/written-data.ts'

/** Every probe, in the order of the table. */
export const probes: readonly Probe[] = [
  ...moneyProbes,
  ...carrierProbes,
  ...loadProbes,
  ...floodProbes,
  ...mediaProbes,
  ...phoneProbes,
  ...apiProbes,
  otherAccounts,
  ...nameProbes,
  ...longInputProbes,
  ...writtenDataProbes,
]

/** The result of one probe, and how long it took. */
export interface Row extends Finding {
  readonly probe: Probe
  readonly seconds: number
}

/** Runs the probes whose name holds `filter`, one after another; `reported` gets each as it ends. */
export async function audit(reported: (row: Row) => void, filter = ''): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const probe of probes.filter(({ name }) => name.includes(filter))) {
    const row = await rowOf(probe)
    rows.push(row)
    reported(row)
  }
  return rows
}

/** One probe against a switch of its own: what it used up, such as the rate limit of an address, must not decide another. */
export async function rowOf(probe: Probe): Promise<Row> {
  const started = Date.now()
  const found = await runAlone(probe)
  return { ...found, probe, seconds: (Date.now() - started) / 1000 }
}

async function runAlone(probe: Probe): Promise<Finding> {
  let bed: AuditBed | undefined
  try {
    bed = await AuditBed.open()
    return await probe.run(bed)
  } catch (fault) {
    return { inputs: 0, broken: [fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)] }
  } finally {
    await bed?.close()
  }
}
