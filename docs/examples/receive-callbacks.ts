import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { BASE_URL, API_KEY, PORT = '3000', PUBLIC_URL = `http://localhost:${PORT}` } = process.env
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
const answer = await fetch(`${BASE_URL}/account/webhooks/secret`, { headers })
const { signing_secret: secret } = JSON.parse(await answer.text())
const seen = new Set<string>()

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const timestamp = String(request.headers['x-voice-timestamp'])
  const signed = createHmac('sha256', secret).update(`${PUBLIC_URL}${request.url}${timestamp}`).update(body).digest()
  const given = Buffer.from(String(request.headers['x-voice-signature']), 'base64')
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  if (!isFresh || given.length !== signed.length || !timingSafeEqual(given, signed)) {
    response.writeHead(403).end()
    return
  }
  // Any 2xx ends it; anything else is sent again, with the same id.
  response.writeHead(204).end()
  const { id, code, event, sid, data } = JSON.parse(body.toString())
  if (seen.has(id)) return
  seen.add(id)
  console.log(code, event, sid, JSON.stringify(data))
}).listen(Number(PORT))

const settings = { purpose: 'status', url: `${PUBLIC_URL}/status` }
await fetch(`${BASE_URL}/account/webhooks`, { method: 'POST', headers, body: JSON.stringify(settings) })
