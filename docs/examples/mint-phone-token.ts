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

const user = await api('POST', '/users/create', { email: `user-${Date.now()}@example.com`, display_name: 'Amina' })
const order = { uuid: user.uuid, ttl_seconds: 600, max_concurrent: 1 }
const { token, iceServers } = await api('POST', '/phone-tokens/mint', order)
// Only these two go to the browser; the API key never does.
console.log(JSON.stringify({ token, iceServers }))
