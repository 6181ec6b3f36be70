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

const [free] = await api('GET', '/numbers/available')
const number = await api('POST', '/numbers/acquire', { uuid: free.uuid }, { 'Idempotency-Key': `acquire-${free.uuid}` })
const configured = await api('POST', '/numbers/configure', {
  uuid: number.uuid,
  friendly_name: 'Front desk',
  webhook_urls: { voice_inbound: 'https://example.com/desk' },
})
console.log(configured.number, configured.webhook_inbound)
