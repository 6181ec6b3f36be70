import { addTrunk, BedAccount, expectStatus, setRates } from '../../tests/rig/beds/account.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { babble } from '../../tests/rig/probes/tone.ts'

export const mediaKinds = {
  relay: 'a trunk calls, Dial to a trunk: PCMU passed on both ways',
  play: 'a trunk calls, Play of an asset without end; the caller sends nothing',
  record: 'a trunk calls and speaks, Record writes it',
  transcode: 'a trunk calls in PCMU, Dial to a trunk that speaks Opus',
  conference: 'trunks call into rooms of ten; three of each speak',
} as const
export type MediaKind = keyof typeof mediaKinds

export const roomMembers = 10
/** Of the first switch, and of another one beside it. A bridged call takes four. */
const mediaPorts = [
  [4000, 19_999],
  [20_000, 29_999],
] as const
/** A leg may get no packet while others are set up, which takes minutes on a busy machine. */
const silentSeconds = 1800
export type MediaSource = 'learned' | 'signalled'

/** A switch as it is served, whose account's number leads to what a kind of load needs. */
export interface ServedSwitch {
  readonly on: SwitchProcess
  readonly number: string
  readonly carrierPort: number
  readonly mediaPorts: readonly [number, number]
}

/** `place`: which of the switches that are served side by side. `source`: `media_source` of its trunk. */
export async function serveSwitch(kind: MediaKind, place: 0 | 1 = 0, source?: MediaSource): Promise<ServedSwitch> {
  const environment = {
    SAUTI_LOG: 'info',
    SAUTI_MEDIA_PORTS: mediaPorts[place].join('-'),
    SAUTI_MEDIA_WORKERS: '1',
  }
  const on = await SwitchProcess.start(environment, '127.0.0.1', ['--media-timeout', String(silentSeconds)])
  try {
    await setRates(on)
    const account = await BedAccount.make(on, { balance: '10000000' })
    const caps = { max_concurrent_calls: 100_000, max_inbound_calls: 100_000, max_dialled_legs: 100_000 }
    expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, { ...caps, max_calls_per_second: 1000 }), 200)
    const carrierPort = await freePort()
    // Each leg's remote has an address of its own then, on the loopback: private ones must be listed to be shared.
    const media = source === undefined ? {} : { media_source: source, media_hosts: ['127.0.0.0/8'] }
    await addTrunk(on, { name: 'carrier', port: carrierPort, prefixes: ['+255'], ...media })
    if (kind === 'play') await account.asset('speech', babble(30))
    const dial = '<Dial><Number>+255700000001</Number></Dial>'
    const documents: Readonly<Record<MediaKind, string>> = {
      relay: dial,
      transcode: dial,
      play: '<Play asset="speech" loop="0"/>',
      record: '<Record maxLength="3600" timeout="0" playBeep="false"/>',
      conference: '<Dial><Conference beep="false">{{From}}</Conference></Dial>',
    }
    await account.hosts('voice_inbound', documents[kind])
    return { on, number: account.number, carrierPort, mediaPorts: mediaPorts[place] }
  } catch (error) {
    await on.close()
    throw error
  }
}
