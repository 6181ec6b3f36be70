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

const body = '<Response><Say>Hello {{From}}. Goodbye.</Say></Response>'
const { valid, problems } = await api('POST', '/documents/check', { body })
if (!valid) throw new Error(problems[0].message)
const document = await api('POST', '/documents/', { name: 'Greeting', body })
const settings = await api('POST', '/account/webhooks', { url: document.url })
console.log(settings.endpoints.voice_inbound)
