import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Case, faultOf } from './cases.ts'
import { Certificates } from './certificates.ts'
import { meet, type Outcome } from './meeting.ts'
import { type Library, Programs } from './programs.ts'

export interface Result {
  readonly case: Case
  readonly outcome: Outcome
  /** Undefined when it came to what it must. */
  readonly fault: string | undefined
}

/** Most of a case is waiting. */
const atOnce = 12

/** Runs them, several at once, and returns them in their order. */
export async function runCases(
  cases: readonly Case[],
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  return withPrograms(async (programs, certificates) => {
    // Certificates and programs are made first: making them stops this thread, and with it the handshakes under way.
    for (const { meeting } of cases)
      programs.command(meeting.library, meeting.role, { ours: 1, its: 2 }, meeting.peer ?? {})
    const results: Result[] = []
    const queue = [...cases.entries()]
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, it] = next
        const outcome = await meet(programs, certificates, it.meeting)
        const result = { case: it, outcome, fault: faultOf(it, outcome) }
        results[at] = result
        onResult(result)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return results
  })
}

export const versionOf = (library: Library): Promise<string> =>
  withPrograms(async programs => programs.version(library))

async function withPrograms<T>(use: (programs: Programs, certificates: Certificates) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-dtls-'))
  try {
    const certificates = new Certificates(folder)
    return await use(new Programs(certificates), certificates)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
