import { createReadStream } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type RecordingStorage, type StoredRecording, Switch } from 'sauti'
import { response } from 'sauti/documents'

// Another disk. With an object store the three methods put, get and delete an object whose key is `recording.path`.
const shelf = './shelf'
const place = ({ path }: StoredRecording) => join(shelf, basename(path))
const storage: RecordingStorage = {
  async put(recording, file) {
    await mkdir(shelf, { recursive: true })
    // Half a file never has the name of a whole one.
    await copyFile(file, `${place(recording)}.part`)
    await rename(`${place(recording)}.part`, place(recording))
  },
  async get(recording, { first, last }) {
    return createReadStream(place(recording), { start: first, end: last })
  },
  async delete(recording) {
    await rm(place(recording), { force: true })
  },
}

const sauti = await Switch.open({
  data: './data-recordings',
  sip: ['udp:127.0.0.1:0'],
  mediaPorts: [40_200, 40_399],
  recordings: storage,
})
// Made once, and kept in the data folder.
const account = (await sauti.accounts.list()).rows[0] ?? (await firstAccount())

async function firstAccount() {
  const { account } = await sauti.accounts.create({ name: 'Shamba Ltd', balance: '100.00' })
  await sauti.rates.replace([{ prefix: '+254', perMinute: '3.00' }])
  await sauti.numbers.add('+254700000001', { account: account.uuid })
  await sauti.numbers.add('+254700000002', { account: account.uuid })
  return account
}

sauti.onCall(() => response().say('Karibu').pause('5s').hangup())
const placed = await sauti.calls.originate({
  account: account.uuid,
  from: '+254700000001',
  to: '+254700000002',
  document: response().recordSession().pause('1s').hangup(),
})
for await (const { code, sid } of sauti.events({
  account: account.uuid,
  after: 0,
  signal: AbortSignal.timeout(20_000),
}))
  if (code === 'REC.0200' && sid === placed.sid) break

// A call never waits for the storage; this list shows what waits.
while (sauti.recordings.waiting > 0) await new Promise(resolve => setTimeout(resolve, 100))
for (const { uuid, mediaFormat, duration = 0 } of await sauti.recordings.list(account.uuid)) {
  let bytes = 0
  for await (const chunk of await sauti.recordings.audio(account.uuid, uuid)) bytes += chunk.length
  console.log(mediaFormat, Math.round(duration), 's', bytes > 8000 ? 'audio' : 'nothing')
}
await sauti.close()
