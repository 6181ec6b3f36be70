import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'

export interface Held {
  /** Of what a call needs while it lives, by its name: all are as before when the last call has gone. */
  readonly open: Readonly<Record<string, number>>
  /** The descriptors, by what they are: `socket`, `[eventpoll]`, a file's path. */
  readonly descriptors: Readonly<Record<string, number>>
  readonly heapMb: number
  readonly residentMb: number
  readonly calls: number
  readonly crashed: number
  readonly threadsLost: number
}

/** What a served switch holds now, by its own metrics and the kernel. */
export async function heldBy(on: SwitchProcess): Promise<Held> {
  const answer = await on.request(on.operatorKey, 'GET', '/metrics')
  const samples = new Map<string, number>()
  for (const line of String(answer.body).split('\n')) {
    const at = line.lastIndexOf(' ')
    if (at > 0 && !line.startsWith('#')) samples.set(line.slice(0, at), Number(line.slice(at + 1)))
  }
  const read = (name: string) => samples.get(name) ?? 0
  const open: Record<string, number> = {
    'calls in memory': read('sauti_calls_held'),
    'SIP calls': read('sauti_sip_open{what="calls"}'),
    'SIP dialogs': read('sauti_sip_open{what="dialogs"}'),
    'SIP client transactions': read('sauti_sip_open{what="client_transactions"}'),
    'SIP server transactions': read('sauti_sip_open{what="server_transactions"}'),
    'SIP timers': read('sauti_sip_open{what="timers"}'),
    'media legs': read('sauti_media{what="legs"}'),
    'media sessions': read('sauti_media{what="sessions"}'),
    'media ports taken': -read('sauti_media{what="ports_free"}'),
    'callbacks waiting': read('sauti_callbacks_queued'),
    'Node timers': read('nodejs_active_resources{type="Timeout"}'),
    // Ports that are bound beforehand come in batches.
    descriptors: readdirSync(`/proc/${on.pid}/fd`).length - 2 * read('sauti_media{what="ports_ready"}'),
    threads: readdirSync(`/proc/${on.pid}/task`).length,
  }
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${on.pid}/status`, 'utf8'))?.[1] ?? 0)
  return {
    open,
    descriptors: descriptorsOf(on.pid),
    heapMb: read('nodejs_heap_size_used_bytes') / 2 ** 20,
    residentMb: kilobytes / 1024,
    calls: read('sauti_exchange_total{what="begun"}'),
    crashed: read('sauti_exchange_total{what="crashed"}'),
    threadsLost: read('sauti_media_total{what="threads_lost"}'),
  }
}

function descriptorsOf(pid: number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${descriptor}`)
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Undefined: it has been closed meanwhile. */
function kindOf(link: string): string | undefined {
  try {
    const [kind, name = ''] = readlinkSync(link).split(':')
    return kind === 'anon_inode' ? name : kind
  } catch {
    return undefined
  }
}
