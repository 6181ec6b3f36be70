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

const settings = await api('POST', '/account/webhooks', {
  purpose: 'voice_inbound',
  url: 'https://example.com/voice',
  fallback_mode: 'message',
  fallback_value: 'Please call again later.',
})
console.log(settings.endpoints)
