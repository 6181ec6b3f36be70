import type { AccountProfile, OwnedNumber } from '../../../core/model/account.ts'
import type { AccountUuid } from '../../../core/model/ids.ts'
import type { Rate } from '../../../core/model/rate.ts'

export const acme: AccountProfile = {
  uuid: 'acme' as AccountUuid,
  name: 'Acme',
  status: 'active',
  graceAmount: 0,
  creditLimit: 0,
  maxConcurrentCalls: 50,
  maxCallsPerSecond: 10,
  maxInboundCalls: 100,
  maxDialledLegs: 200,
  recordingBytes: 0,
  maxRecordingBytes: null,
  endpoints: { voice_inbound: 'https://acme.test/in', voice_outbound: '', status: '' },
  fallbackMode: 'drop',
  fallbackValue: '',
}

export const own = (number: string, url = '', isActive = true): OwnedNumber => ({
  uuid: number,
  number,
  isActive,
  webhookUrls: { voice_inbound: url, voice_outbound: '', status: '' },
})

export const rate = (prefix: string, set: Partial<Rate> = {}): Rate => ({
  prefix,
  direction: 'outbound',
  ratePerMinute: 30_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
  connectionFee: 0,
  ...set,
})
