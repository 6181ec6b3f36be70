import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import * as assert from 'uvu/assert'
import type { StoreCall, ToStore } from '../../../core/adapters/store/threads/protocol.ts'

/** The next writer: its news can be kept from being received, as that of a thread that ends before it has sent them. */
export function nextWriter() {
  let worker: Worker | undefined
  let isSilent = false
  let isWhereItEnds: (call: StoreCall) => boolean = () => false
  const watch = (next: Worker) => {
    const emit = next.emit.bind(next)
    next.emit = (name: string | symbol, ...args: unknown[]) => {
      // Readers start as well: the writer is the one that brings what memory begins with.
      if (worker === undefined && name === 'message' && (args[0] as { readonly known?: unknown }).known !== undefined) {
        worker = next
        process.off('worker', watch)
      }
      return isSilent && worker === next && name === 'message' ? false : emit(name, ...args)
    }
    const post = next.postMessage.bind(next)
    next.postMessage = (message: ToStore, ...more: never[]) => {
      if (worker === next && message.type === 'calls' && message.calls.some(isWhereItEnds)) isSilent = true
      post(message, ...more)
    }
  }
  process.on('worker', watch)
  return {
    /** From now on. */
    silence() {
      isSilent = true
    },
    /** From the request on that `isIt`. */
    silenceFrom(isIt: (call: StoreCall) => boolean) {
      isWhereItEnds = isIt
    },
    async end() {
      await worker?.terminate()
    },
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waits = 0; waits < 500; waits++) {
    if (await isSo()) return
    await sleep(10)
  }
  assert.unreachable('it has not come so')
}
