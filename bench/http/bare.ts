import Fastify from 'fastify'
import { serveQuestions } from '../subject.ts'
import type { HttpSubject } from './server.ts'

// What Fastify alone costs: the same sizes of answers, nothing after them.
serveQuestions<'open'>(async (): Promise<HttpSubject> => {
  const app = Fastify()
  const call = {
    uuid: '5f0f1c1e-4d0f-4f0e-8f57-0c5a3f9a4b11',
    sid: 'CA01JZXQ7R5T8K2M4N',
    direction: 'outbound',
    from_number: '+254711000001',
    to_number: '+254711000002',
    status: 'initiated',
    reason_code: '',
    reason_label: '',
    duration_seconds: null,
    talk_seconds: null,
    cost: '0.00',
    tts_seconds: 0,
    customPayload: null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    created_at: '2026-07-01T08:30:00.000Z',
  }
  app.get('/calls/', () => ({ calls: Array.from({ length: 50 }, () => call), total: 1000, limit: 50, offset: 0 }))
  app.post('/calls/originate', (_request, reply) => reply.code(201).send(call))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, headers: { 'content-type': 'application/json' }, body: '{"to":"+254711000002"}' }
})
