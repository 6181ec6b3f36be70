import { readFileSync } from 'node:fs'
import koffi from 'koffi'
import { test } from 'uvu'
import { giveBackFreeMemory } from '../../../rtp/io/free-memory.ts'
import { until } from '../../rig/probes/wait.ts'

const residentKb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])

test('what the C library keeps free goes back to the system', async () => {
  const library = koffi.load(null)
  const take = library.func('malloc', 'uintptr_t', ['size_t'])
  const fill = library.func('memset', 'uintptr_t', ['uintptr_t', 'int', 'size_t'])
  const free = library.func('free', 'void', ['uintptr_t'])
  // Pieces below the size that is mapped by itself; one that stays keeps the top of the heap from being given back as it is freed.
  const [size, pieces] = [64 * 1024, 1500]
  const taken = Array.from({ length: pieces }, () => {
    const piece = take(size)
    fill(piece, 1, size)
    return piece
  })
  const last = take(size)
  for (const piece of taken) free(piece)
  const before = residentKb()
  giveBackFreeMemory()
  await until('most of it to be given back', () => residentKb() < before - 60_000)
  free(last)
})

test.run()
