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

const filter = { direction: 'outbound', search: '700000', from_dt: '2026-01-01T00:00:00Z' }
for (let offset = 0, total = 1; offset < total; offset += 20) {
  const page = await api('GET', `/calls/?${new URLSearchParams({ ...filter, limit: '20', offset: String(offset) })}`)
  total = page.total
  for (const call of page.calls) console.log(call.created_at, call.sid, call.to_number, call.reason_label, call.cost)
}
