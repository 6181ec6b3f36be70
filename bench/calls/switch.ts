import { SipSignaling } from '../../core/adapters/signaling/index.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { systemClock, systemRandom } from '../../core/adapters/system/system-clock.ts'
import type { CallUuid, LegUuid, TrunkUuid } from '../../core/model/ids.ts'
import { defaultSettings } from '../../core/model/settings.ts'
import type { Trunk } from '../../core/model/trunk.ts'
import { serveQuestions } from '../subject.ts'
import type { CallPorts } from './ports.ts'

// The signalling port alone as a back-to-back user agent: no document, no media, no money.
serveQuestions<CallPorts>(async ({ listen, callee }) => {
  const trunk: Trunk = {
    uuid: 'bench' as TrunkUuid,
    name: 'bench',
    host: '127.0.0.1',
    port: callee,
    transport: 'udp',
    username: '',
    password: '',
    register: false,
    inboundHosts: ['127.0.0.1'],
    mediaHosts: [],
    mediaSource: 'learned',
    prefixes: [''],
    strip: 0,
    prepend: '',
    priority: 1,
    weight: 1,
    maxCalls: 0,
    maxCps: 0,
    codecs: [],
    optionsPingSeconds: 0,
    srtp: 'off',
  }
  const others = new Map<LegUuid, LegUuid>()
  const signaling = await SipSignaling.open({
    settings: {
      ...defaultSettings,
      sip: { listeners: [{ transport: 'udp', address: '127.0.0.1', port: listen }], realm: 'localhost' },
      externalAddresses: ['127.0.0.1'],
    },
    trunks: () => [trunk],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    limits: { calls: 200_000 },
    emit: event => {
      const other = others.get(event.legId)
      switch (event.type) {
        case 'leg.offered': {
          const legId = systemRandom.uuid() as LegUuid
          others.set(event.legId, legId).set(legId, event.legId)
          signaling.execute({
            type: 'leg.dial',
            legId,
            callId: legId as string as CallUuid,
            target: { kind: 'trunk', trunk, number: event.to },
            from: { user: event.from.user },
            sdp: event.sdp ?? '',
          })
          return
        }
        case 'leg.ringing':
          if (other !== undefined) signaling.execute({ type: 'leg.ring', legId: other })
          return
        case 'leg.answered':
          if (other !== undefined) signaling.execute({ type: 'leg.answer', legId: other, sdp: event.sdp ?? '' })
          return
        case 'leg.ended':
          if (other !== undefined) signaling.execute({ type: 'leg.end', legId: other, reason: 'END.0200' })
          others.delete(event.legId)
      }
    },
  })
  return 'open'
})
