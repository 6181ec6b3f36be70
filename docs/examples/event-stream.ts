const { BASE_URL = '', API_KEY } = process.env
const answer = await fetch(`${BASE_URL}/stream/token`, {
  method: 'POST',
  headers: { authorization: `Bearer ${API_KEY}` },
})
const { token } = JSON.parse(await answer.text())

// `after` is the last seq that was read: who comes back with it misses nothing.
const stream = new WebSocket(`${BASE_URL.replace(/^http/, 'ws')}/stream?token=${token}&after=0`)
stream.onmessage = ({ data }) => {
  const { seq, code, event, sid } = JSON.parse(data)
  console.log(seq, code, event, sid)
}
stream.onclose = ({ code }) => console.log(`closed with ${code}`)
