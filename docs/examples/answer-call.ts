import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { BASE_URL, API_KEY, PORT = '3000', PUBLIC_URL = `http://localhost:${PORT}` } = process.env
const answer = await fetch(`${BASE_URL}/account/webhooks/secret`, { headers: { authorization: `Bearer ${API_KEY}` } })
const { signing_secret: secret } = JSON.parse(await answer.text())

/** base64 of HMAC-SHA256 over URL, timestamp and body; nothing older than five minutes. */
function isSigned(url: string, timestamp: string, body: Buffer, signature: string): boolean {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const expected = createHmac('sha256', secret).update(url).update(timestamp).update(body).digest()
  const given = Buffer.from(signature, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const header = (name: string) => String(request.headers[name] ?? '')
  if (!isSigned(`${PUBLIC_URL}${request.url}`, header('x-voice-timestamp'), body, header('x-voice-signature'))) {
    response.writeHead(403).end()
    return
  }
  const { CallSid, From } = JSON.parse(body.toString())
  console.log(`${CallSid} from ${From}`)
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end('<Response><Say>Thank you for calling. Goodbye.</Say></Response>')
}).listen(Number(PORT))
