import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api, must, sessions, whenCustomerLeaves } from '../api.ts'
import type { EndUser } from '../api-types.ts'
import { go, href } from '../router.ts'
import { t } from '../texts/index.ts'
import { attempt, tell } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { tellLiveCalls } from './live-calls.ts'

// The phone of /phone, in a frame over every page: one phone, one set of rules. Its button is in the bar, where it covers
// nothing of a page.

/** Where there is room, the page leaves it to the phone. */
export const isPhoneOpen = signal(false)
const source = signal('')
/** Whose phone it is. */
export const phoneOf = signal<EndUser | undefined>(undefined)
let frame: HTMLIFrameElement | null = null
/** The uuid of the token that is in the frame. */
let token: string | undefined

interface FramedPhone {
  readonly calls: readonly unknown[]
  on(event: 'incoming', listener: () => void): void
}
const insideOf = (it: HTMLIFrameElement): (Window & { phone?: FramedPhone }) | null => it.contentWindow

const tokenSeconds = 3600

/** Opens the phone of an end-user; of the first one, where none is named. */
export async function openPhone(user?: EndUser): Promise<EndUser | undefined> {
  isPhoneOpen.value = true
  if (phoneOf.value !== undefined && (user === undefined || user.uuid === phoneOf.value.uuid)) return phoneOf.value
  const owner = user ?? (await must(api.GET('/users/', {}))).find(each => each.is_active)
  if (owner === undefined) {
    isPhoneOpen.value = false
    tell(t('phoneNeedsPerson'), true)
    go('people')
    return undefined
  }
  const session = sessions.value?.customer?.session
  const minted = await must(
    api.POST('/phone-tokens/mint', { body: { uuid: owner.uuid, ttl_seconds: tokenSeconds, max_concurrent: 3 } }),
  )
  // The session has changed or ended meanwhile: the phone is not for the next one.
  if (sessions.value?.customer?.session !== session) return undefined
  token = minted.phone_token.uuid
  source.value = `/phone#${new URLSearchParams({ token: minted.token, ice: JSON.stringify(minted.iceServers) })}`
  phoneOf.value = owner
  return owner
}

/** Its calls end, it signs out, and its token is worth nothing any more. */
export async function endPhone(): Promise<void> {
  const uuid = token
  letGo()
  // The session is left all the same; the token is in no page any more.
  if (uuid !== undefined) await api.POST('/phone-tokens/revoke', { body: { uuid } }).catch(() => {})
}

/** A page that is taken away hangs up and signs out. */
function letGo(): void {
  isPhoneOpen.value = false
  source.value = ''
  phoneOf.value = undefined
  token = undefined
}
whenCustomerLeaves(letGo)
tellLiveCalls(
  session =>
    session === sessions.value?.customer?.session && frame !== null && (insideOf(frame)?.phone?.calls.length ?? 0) > 0,
)

/** The phone once it is registered, to dial from. */
async function ready(): Promise<Document> {
  for (let waited = 0; waited < 10_000; waited += 100) {
    const inside = frame?.contentDocument
    if (inside?.querySelector('#status[data-state="on"]')) return inside
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(t('phoneNotReady'))
}

/** Calls one of the account's numbers. Where phones cannot call out, what answers at the number calls the phone. */
export async function dialFromPhone(number: string): Promise<void> {
  const [numbers, { endpoints }] = await Promise.all([
    must(api.GET('/numbers/', {})),
    must(api.GET('/account/webhooks', {})),
  ])
  // Of a call from a phone that of the account's first number, else the account's.
  const canCallOut =
    (numbers.find(each => each.is_active)?.webhook_urls.voice_outbound || endpoints.voice_outbound) !== ''
  const { url } = numbers.find(each => each.number === number)?.webhook_inbound ?? { url: '' }
  if (!canCallOut && url !== '') {
    if ((await callPhone(number, url)) !== undefined)
      tell(t('phoneRings'), false, { href: href('webhooks'), text: t('letCallOut') })
    return
  }
  if ((await openPhone()) === undefined) return
  const inside = await ready()
  const field = inside.querySelector<HTMLInputElement>('#number')
  if (field !== null) field.value = number
  inside.querySelector<HTMLButtonElement>('#dial')?.click()
}

/** Rings the phone, and runs the document once it is answered. */
export async function callPhone(from: string, url: string): Promise<string | undefined> {
  const owner = await openPhone()
  if (owner === undefined) return undefined
  await ready()
  const call = await must(api.POST('/calls/originate', { params: {}, body: { to: owner.extension_number, from, url } }))
  return call.uuid
}

export function PhoneOverlay() {
  const it = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    frame = it.current
  })
  const loaded = () => {
    const inside = it.current === null ? null : insideOf(it.current)
    inside?.phone?.on('incoming', () => {
      isPhoneOpen.value = true
    })
  }
  return (
    <div class={`phone-overlay ${isPhoneOpen.value ? 'open' : ''}`}>
      <button
        type="button"
        class="button"
        aria-expanded={isPhoneOpen.value}
        aria-label={t(isPhoneOpen.value ? 'closePhone' : 'openPhone')}
        onClick={() => {
          if (isPhoneOpen.value) isPhoneOpen.value = false
          else attempt(() => openPhone())
        }}
      >
        <Icon name={isPhoneOpen.value ? 'close' : 'calls'} />
        <span>{t('phone')}</span>
      </button>
      {source.value !== '' && (
        <iframe
          ref={it}
          title={t('phone')}
          src={source.value}
          allow="microphone; autoplay"
          onLoad={loaded}
          tabIndex={isPhoneOpen.value ? 0 : -1}
          inert={!isPhoneOpen.value}
        />
      )}
    </div>
  )
}
