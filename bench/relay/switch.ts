import { openMedia } from '../../rtp/worker/index.ts'
import { agreed } from '../../tests/rtp/bed/agreement.ts'
import { serveQuestions } from '../subject.ts'
import type { Legs } from './legs.ts'

// The engine as the switch runs it, in this process so that its processor time is the process's.
serveQuestions<Legs>(async ({ legs, peerPorts }) => {
  const ports = new Map<string, number>()
  const media = openMedia(
    { workers: 0, address: '127.0.0.1', ports: [30_000, 39_998] },
    event => {
      if (event.type === 'opened') ports.set(event.session, event.port)
    },
    error => {
      throw error
    },
  )
  for (let leg = 0; leg < legs; leg++) media.open(String(leg), 'bench')
  while (ports.size < legs) await new Promise(resolve => setTimeout(resolve, 5))
  for (let leg = 0; leg < legs; leg++)
    media.execute({
      type: 'agree',
      session: String(leg),
      talk: false,
      agreement: agreed(peerPorts[leg]!),
    })
  for (let leg = 0; leg < legs; leg += 2)
    media.execute({ type: 'bridge', session: String(leg), other: String(leg + 1) })
  return Array.from({ length: legs }, (_, leg) => ports.get(String(leg))!)
})
