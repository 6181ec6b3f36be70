import { Type } from '@sinclair/typebox'
import { choice, nullable, numberOut, uuidOut } from './field.ts'

const count = (description: string) => Type.Integer({ description })
const figure = (description: string) => Type.Number({ description })

const figures = {
  mos: nullable(figure(''), {
    description: 'Estimated opinion score by the E-model (ITU-T G.107), 1 to 4.4; null where no audio was received.',
  }),
  r_factor: nullable(figure(''), { description: 'The same as rating, 0 to 93.2.' }),
  loss_percent: figure('Packets that the network lost.'),
  burst_ratio: figure('Mean run of losses against that of random loss; 1 = at random.'),
  jitter_ms: figure('Interarrival jitter (RFC 3550).'),
  round_trip_ms: nullable(figure(''), { description: 'There and back by RTCP; null where the remote sends none.' }),
  one_way_ms: figure('From mouth to ear, estimated.'),
  packets_received: count('From the remote.'),
  packets_sent: count('To the remote.'),
  packets_lost: count('Of the remote.'),
  packets_late: count('Came after they should have been played.'),
  packets_dropped: count('Refused: malformed, or of a source that is not accepted.'),
  far: nullable(
    Type.Object({
      loss_percent: figure('Of what it was sent.'),
      jitter_ms: figure('Of what it was sent.'),
      mos: nullable(figure(''), { description: 'Its own score, where it sends extended reports (RFC 3611).' }),
    }),
    { description: 'What the remote reports by RTCP; null where it does not.' },
  ),
}

/** Media quality of a leg now. */
export const LegFigures = Type.Object(figures)

/** Media quality of a leg of a call. */
export const CallQuality = Type.Object({
  leg: uuidOut('The leg.'),
  role: choice(['caller', 'callee'], 'Who began it.'),
  number: numberOut('Who is there.'),
  codec: nullable(Type.String({ examples: ['PCMU'] })),
  ...figures,
})
