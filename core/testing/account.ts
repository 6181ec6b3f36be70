import { defaultTrunk } from '../adapters/store/trunks.ts'
import { defaultFallbackText } from '../adapters/store/webhook-settings.ts'
import { functionBase } from '../document-builder/call-handler.ts'
import type { AccountProfile, OwnedNumber } from '../model/account.ts'
import type { AccountUuid, TrunkUuid } from '../model/ids.ts'
import { type Money, parseMoney } from '../model/money.ts'
import type { Rate } from '../model/rate.ts'
import type { Trunk } from '../model/trunk.ts'
import type { SimulatedRate, SimulationOptions } from './options.ts'

export const simulatedAccount = 'simulated-account' as AccountUuid

/** The trunk that every number is reached by. */
export const simulatedTrunk: Trunk = {
  ...defaultTrunk,
  uuid: 'simulated-trunk' as TrunkUuid,
  name: 'trunk',
  host: 'trunk.test',
  port: 5060,
  prefixes: ['+'],
}

export const accountOf = ({ fallback, webhook = functionBase }: SimulationOptions): AccountProfile => ({
  uuid: simulatedAccount,
  name: 'Simulated account',
  status: 'active',
  graceAmount: 0,
  creditLimit: 0,
  maxConcurrentCalls: 50,
  maxCallsPerSecond: 10,
  maxInboundCalls: 100,
  maxDialledLegs: 200,
  recordingBytes: 0,
  maxRecordingBytes: null,
  endpoints: { voice_inbound: webhook, voice_outbound: webhook, status: '' },
  fallbackMode: fallback?.mode ?? 'message',
  fallbackValue: fallback?.value ?? (fallback === undefined ? defaultFallbackText : ''),
})

export const numberOf = (number: string): OwnedNumber => ({
  uuid: number,
  number,
  isActive: true,
  webhookUrls: { voice_inbound: '', voice_outbound: '', status: '' },
})

/** Throws a `RangeError` that names the option for what is no decimal number. */
export function moneyOf(text: string, option: string): Money {
  const money = parseMoney(text)
  if (money === undefined) throw new RangeError(`${option}: "${text}" is no amount; write KES such as "12.50"`)
  return money
}

export const rateOf = (rate: SimulatedRate): Rate => ({
  prefix: rate.prefix,
  direction: rate.direction ?? 'outbound',
  ratePerMinute: moneyOf(rate.perMinute, `rates ${rate.prefix} perMinute`),
  incrementSeconds: rate.incrementSeconds ?? 60,
  minimumSeconds: rate.minimumSeconds ?? 0,
  connectionFee: moneyOf(rate.connectionFee ?? '0', `rates ${rate.prefix} connectionFee`),
})
