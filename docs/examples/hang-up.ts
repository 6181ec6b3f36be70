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

const { calls } = await api('GET', '/calls/?limit=1')
const ended = await api('POST', '/calls/hangup', { sid: calls[0].sid })
console.log(ended.sid, ended.status, ended.reason_label)
