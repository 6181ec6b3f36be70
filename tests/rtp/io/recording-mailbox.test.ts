import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chunkSamples, newChunkMemory, RecordingChunk } from '../../../rtp/io/recording-chunk.ts'
import { RecordingLine } from '../../../rtp/io/recording-line.ts'
import { RecordingMailbox } from '../../../rtp/io/recording-mailbox.ts'
import type { ToRecording } from '../../../rtp/io/recording-protocol.ts'
import { seeded } from '../../rig/probes/seeded.ts'

test('what is put is taken, once and in its order, however the two take turns', () => {
  const random = seeded(5)
  const writer = new RecordingMailbox()
  const reader = new RecordingMailbox(writer.memory)
  let put = 0
  let taken = 0
  while (taken < 200_000) {
    for (let n = Math.floor(40_000 * random()); n > 0; n--) {
      if (!writer.put(put, put % 7, put % 9601)) {
        assert.is(put - taken, 32_768, 'refused though there is room')
        break
      }
      put++
    }
    // Some are refused by the reader, and come again.
    const least = taken + Math.floor(30_000 * random())
    reader.takeAll((recording, chunk, count) => {
      if (taken >= least) return false
      assert.ok(recording === taken && chunk === taken % 7 && count === taken % 9601, `entry ${taken}: ${recording}`)
      taken++
      return true
    })
  }
})

test('the counts wrap', () => {
  const writer = new RecordingMailbox()
  new Int32Array(writer.memory).fill(0x7fff_fff0, 0, 2)
  const reader = new RecordingMailbox(writer.memory)
  const taken: number[] = []
  for (let n = 0; n < 64; n++) {
    assert.ok(writer.put(n, 0, 0))
    if (n % 3 === 0) reader.takeAll(recording => taken.push(recording) > 0)
  }
  reader.takeAll(recording => taken.push(recording) > 0)
  assert.equal(
    taken,
    Array.from({ length: 64 }, (_, n) => n),
  )
})

/** A thread that reads what is sent to it when the test asks for it. */
class Thread {
  readonly mailbox = new RecordingMailbox()
  readonly chunks: RecordingChunk[] = []
  readonly samples: number[] = []
  readonly held: RecordingChunk[] = []
  readonly send = (message: ToRecording): void => {
    if (message.type === 'chunk') this.chunks.push(new RecordingChunk(message.memory))
    if (message.type !== 'close') return
    this.take()
    this.samples.push(...this.chunks[message.chunk]!.pcm.subarray(0, message.count))
  }

  take(letsGo = true): void {
    this.mailbox.takeAll((_recording, index, count) => {
      const chunk = this.chunks[index]!
      this.samples.push(...chunk.pcm.subarray(0, count))
      if (letsGo) chunk.letGo()
      else this.held.push(chunk)
      return true
    })
  }
}

test('a recording comes whole to its thread, whatever the pieces and whenever it looks, and in few chunks', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = seeded(seed)
    const thread = new Thread()
    const line = new RecordingLine(1, thread.mailbox, thread.send)
    const pcm = new Int16Array(500)
    const said: number[] = []
    for (let n = 0; n < 3000; n++) {
      const count = Math.floor(500 * random())
      for (let i = 0; i < count; i++) pcm[i] = said.length + i
      line.write(pcm, 0, count)
      for (let i = 0; i < count; i++) said.push(pcm[i]!)
      if (random() < 0.05) line.flush()
      if (random() < 0.1) thread.take()
    }
    line.close(said.length, () => {})
    assert.equal(thread.samples, said)
    assert.ok(thread.chunks.length <= 20, `${thread.chunks.length} chunks`)
  }
})

test('a disk that stands still is waited for, for a minute; then the recording has failed', () => {
  const thread = new Thread()
  const line = new RecordingLine(1, thread.mailbox, thread.send)
  const second = new Int16Array(8000).fill(5)
  let seconds = 0
  for (; !line.hasFailed && seconds < 1000; seconds++) {
    line.write(second, 0, second.length)
    line.flush()
    thread.take(false)
  }
  assert.ok(seconds >= 60 && seconds < 75, `${seconds} s`)
  assert.is(thread.chunks.length, 60)
  assert.ok(newChunkMemory().byteLength >= 2 * chunkSamples)
})

test('a full mailbox is waited for until a chunk is full', () => {
  const thread = new Thread()
  while (thread.mailbox.put(0, 0, 0));
  const line = new RecordingLine(1, thread.mailbox, thread.send)
  line.write(new Int16Array(100).fill(3), 0, 100)
  line.flush()
  assert.not(line.hasFailed)
  thread.mailbox.takeAll(() => true)
  line.flush()
  thread.take()
  assert.equal(thread.samples, new Array(100).fill(3))
})

test.run()
