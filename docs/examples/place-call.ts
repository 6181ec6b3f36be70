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

const order = {
  to: '+254700000102',
  from: '+254700000101',
  url: 'https://example.com/voice',
  timeout: 20,
  customPayload: { order: 7 },
}
// The same key again gives the same call, and does not place another.
const call = await api('POST', '/calls/originate', order, { 'Idempotency-Key': crypto.randomUUID() })
console.log(call.sid, call.status)
