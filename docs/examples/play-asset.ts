import { readFile } from 'node:fs/promises'

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

const uploaded = await fetch(`${BASE_URL}/assets/welcome`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'audio/wav' },
  body: await readFile('welcome.wav'),
})
if (uploaded.status !== 201) throw new Error(await uploaded.text())
const body = '<Response><Play asset="welcome"/></Response>'
const document = await api('POST', '/documents/', { name: 'Welcome', body })
console.log(document.url)
