import { writeFile } from 'node:fs/promises'

const { BASE_URL, API_KEY } = process.env

async function api(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await fetch(`${BASE_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const told = JSON.parse(await answer.text())
  if (!answer.ok) throw new Error(`${answer.status} ${told.detail}`)
  return told
}

const [recording] = await api('GET', '/recordings/?limit=1')
const { url } = await api('POST', '/recordings/download', { uuid: recording.uuid })
// The link needs no key: it may be handed on until it expires.
const audio = await fetch(url)
await writeFile('recording.wav', Buffer.from(await audio.arrayBuffer()))
console.log(recording.call_sid, recording.duration_seconds)
