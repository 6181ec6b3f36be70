import { type Group, integer } from '../action/action.ts'

export const drain: Group = {
  name: 'drain',
  summary: 'stop and start taking new calls',
  examples: ['sauti drain start --seconds 300', 'sauti drain stop'],
  actions: [
    {
      name: 'start',
      words: [],
      summary: 'take no new calls; live ones get some seconds, then end',
      access: 'operator',
      flags: [integer('seconds', 'seconds', 'what live calls get (setting drain.seconds)')],
      request: ({ fields }) => ({ method: 'POST', path: '/operator/drain', body: fields }),
    },
    {
      name: 'stop',
      words: [],
      summary: 'take new calls again',
      access: 'operator',
      flags: [],
      request: () => ({ method: 'DELETE', path: '/operator/drain' }),
    },
  ],
}
