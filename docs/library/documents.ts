import { createServer } from 'node:http'
import { response, verifySignature } from 'sauti/documents'

const secret = 'the secret of the account'

const server = createServer(async (request, answer) => {
  const body = Buffer.concat(await request.toArray()).toString()
  if (!verifySignature({ url: `https://example.com${request.url}`, headers: request.headers, body }, secret)) {
    answer.writeHead(403).end()
    return
  }
  const menu = response().gather({ numDigits: 1, action: '/menu' }, prompt => prompt.say('Press one for maize'))
  answer.setHeader('content-type', 'application/xml').end(menu.toString())
})
server.listen(0, '127.0.0.1', () => server.close())
console.log(response().say('Karibu').dial({ number: '+254711000001', timeout: '20s' }).toString())
