import { useEffect, useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { WebhookConfig } from '../api-types.ts'
import { useLoad } from '../load.ts'
import { filter, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Copy,
  Empty,
  Field,
  Page,
  Select,
  Sure,
  Trouble,
  useOnce,
  Waiting,
} from '../ui/basics.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { beforeOf, pageSize, SeqPager } from '../ui/table.tsx'
import { CallTargets, type NamedDocument } from './call-targets.tsx'
import { DeliveryTable } from './deliveries.tsx'
import { sendAndTell } from './delivery-end.ts'

const purposes = ['voice_inbound', 'voice_outbound', 'status'] as const
/** What phones dial is dialled for them: another phone by its extension, a number by a trunk. */
const callsOut = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Dial><Number>{{To}}</Number></Dial>
</Response>
`
const modes = ['message', 'play', 'drop'] as const

export default function Webhooks() {
  const outcome = place.value.query.get('outcome')
  const wanted = outcome === 'failed' || outcome === 'delivered' ? outcome : undefined
  const sid = place.value.query.get('sid') ?? ''
  const isFiltered = wanted !== undefined || sid !== '' || beforeOf() !== undefined
  const config = useLoad('webhooks', async () => {
    const [settings, { documents }] = await Promise.all([
      must(api.GET('/account/webhooks', {})),
      must(api.GET('/documents/', { params: { query: { limit: 200 } } })),
    ])
    return { settings, documents }
  })
  const before = beforeOf()
  const deliveries = useLoad(
    `deliveries ${wanted} ${sid} ${before}`,
    () =>
      must(
        api.GET('/account/webhooks/deliveries', {
          params: {
            query: {
              limit: pageSize,
              ...(wanted === undefined ? {} : { outcome: wanted }),
              ...(sid === '' ? {} : { sid }),
              ...(before === undefined ? {} : { before }),
            },
          },
        }),
      ),
    // What is older does not change.
    before === undefined ? 10_000 : undefined,
  )
  // A link to deliveries that failed leads to them, past the settings above.
  const isLedThere = useRef(isFiltered)
  const isThere = config.data !== undefined && deliveries.data !== undefined
  useEffect(() => {
    if (isThere && isLedThere.current && scrollY === 0) document.getElementById('deliveries')?.scrollIntoView()
    if (isThere) isLedThere.current = false
  }, [isThere])
  return (
    <Page
      title={t('webhooks')}
      lead={t('webhooksLead')}
      actions={
        <Button
          onClick={() =>
            sendAndTell(
              ({ code }) => code === 'WH.0100',
              () => attempt(() => must(api.POST('/account/webhooks/test', {})), t('testSent')),
            ).then(deliveries.reload)
          }
        >
          {t('sendTest')}
        </Button>
      }
    >
      <Trouble error={config.error} retry={config.reload} />
      <div class="columns two">
        {config.data === undefined ? (
          config.error === undefined && <Waiting />
        ) : (
          <Defaults config={config.data.settings} documents={config.data.documents} done={config.reload} />
        )}
        <div class="stack">
          <Secret />
          <Checker />
        </div>
      </div>
      <Card
        id="deliveries"
        title={t('deliveries')}
        aside={
          <span class="filters">
            <Select
              aria-label={t('outcome')}
              value={wanted ?? ''}
              options={[
                ['', t('all')],
                ['delivered', t('delivered')],
                ['failed', t('failed')],
              ]}
              change={chosen => filter({ outcome: chosen, before: '' })}
            />
            <SearchField
              label={t('callSid')}
              placeholder={t('callSid')}
              value={sid}
              change={chosen => filter({ sid: chosen, before: '' })}
            />
          </span>
        }
      >
        <Trouble error={deliveries.error} retry={deliveries.reload} />
        {deliveries.data === undefined ? (
          deliveries.error === undefined && <Waiting />
        ) : deliveries.data.length === 0 ? (
          <Empty
            action={
              isFiltered && <Button onClick={() => filter({ outcome: '', sid: '', before: '' })}>{t('clear')}</Button>
            }
          >
            {t(isFiltered ? 'noDeliveriesFit' : 'noDeliveries')}
          </Empty>
        ) : (
          <DeliveryTable rows={deliveries.data} done={deliveries.reload} />
        )}
        <SeqPager last={deliveries.data?.at(-1)?.seq} hasMore={deliveries.data?.length === pageSize} />
      </Card>
    </Page>
  )
}

function Defaults({
  config,
  documents,
  done,
}: {
  readonly config: WebhookConfig
  readonly documents: readonly NamedDocument[]
  readonly done: () => void
}) {
  const [urls, setUrls] = useState({ ...config.endpoints })
  const [mode, setMode] = useState<(typeof modes)[number]>(config.fallback_mode)
  const [value, setValue] = useState(config.fallback_value)
  useEffect(() => setUrls({ ...config.endpoints }), [config])
  const save = () =>
    attempt(async () => {
      for (const purpose of purposes)
        if (urls[purpose] !== config.endpoints[purpose])
          await must(api.POST('/account/webhooks/endpoint', { body: { purpose, url: urls[purpose] } }))
      if (mode !== config.fallback_mode || value !== config.fallback_value)
        await must(
          api.POST('/account/webhooks', {
            body: { fallback_mode: mode, ...(mode === 'drop' ? {} : { fallback_value: value }) },
          }),
        )
      done()
    }, t('saved'))
  const once = useOnce()
  const letCallOut = () =>
    once(async () => {
      const { url } = await must(api.POST('/documents/', { body: { name: t('callsOfPhones'), body: callsOut } }))
      await must(api.POST('/account/webhooks/endpoint', { body: { purpose: 'voice_outbound', url } }))
      done()
    }, t('saved'))
  return (
    <Card title={t('defaults')}>
      <CallTargets none={t('none')} urls={urls} documents={documents} change={setUrls} />
      {config.endpoints.voice_outbound === '' && (
        <div class="wanting">
          <p>{t('noOutbound')}</p>
          <Button onClick={letCallOut}>{t('letCallOut')}</Button>
          <small class="hint">{t('letCallOutHint')}</small>
        </div>
      )}
      <Field label={t('fallback')} hint={t('fallbackHint')}>
        {field => (
          <Select
            {...field}
            value={mode}
            options={modes.map(each => [each, word('fallback', each)] as const)}
            change={chosen => setMode(modes.find(each => each === chosen) ?? 'message')}
          />
        )}
      </Field>
      {mode !== 'drop' && (
        <Field label={t(mode === 'message' ? 'fallbackText' : 'fallbackUrl')}>
          {field => <input {...field} value={value} onInput={event => setValue(event.currentTarget.value)} />}
        </Field>
      )}
      <div class="actions end">
        <Button kind="main" onClick={save}>
          {t('save')}
        </Button>
      </div>
    </Card>
  )
}

function Secret() {
  const [secret, show] = useState<string | undefined>(undefined)
  return (
    <Card title={t('secret')}>
      <p class="soft">{t('secretLead')}</p>
      {secret !== undefined && (
        <p class="with-copy">
          <code class="cut">{secret}</code>
          <Copy text={secret} label={t('secret')} />
        </p>
      )}
      <div class="actions">
        <Button
          onClick={() =>
            secret === undefined
              ? attempt(async () => show((await must(api.GET('/account/webhooks/secret', {}))).signing_secret))
              : show(undefined)
          }
        >
          {t(secret === undefined ? 'show' : 'hide')}
        </Button>
        <Sure
          label={t('rotate')}
          question={t('rotateSure')}
          act={async () => show((await must(api.POST('/account/webhooks/secret/rotate', {}))).signing_secret)}
        />
      </div>
    </Card>
  )
}

/** Whether a request that somebody received was signed by this account's secret: computed here, nothing is sent. */
function Checker() {
  const [url, setUrl] = useState('')
  const [timestamp, setTimestamp] = useState('')
  const [body, setBody] = useState('')
  const [signature, setSignature] = useState('')
  const [result, tell] = useState<boolean | undefined>(undefined)
  const check = () =>
    attempt(async () => {
      const { signing_secret: secret } = await must(api.GET('/account/webhooks/secret', {}))
      const encoder = new TextEncoder()
      const key = await crypto.subtle.importKey(
        'raw',
        encoder.encode(secret),
        { name: 'HMAC', hash: 'SHA-256' },
        false,
        ['sign'],
      )
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(url + timestamp + body)))
      tell(btoa(String.fromCharCode(...bytes)) === signature.trim())
    })
  return (
    <Card title={t('checker')}>
      <details>
        <summary>{t('checkerLead')}</summary>
        <Field label={t('url')}>
          {field => <input {...field} value={url} onInput={event => setUrl(event.currentTarget.value)} />}
        </Field>
        <Field label="X-Voice-Timestamp">
          {field => <input {...field} value={timestamp} onInput={event => setTimestamp(event.currentTarget.value)} />}
        </Field>
        <Field label="X-Voice-Signature">
          {field => <input {...field} value={signature} onInput={event => setSignature(event.currentTarget.value)} />}
        </Field>
        <Field label={t('body')}>
          {field => <textarea {...field} rows={4} value={body} onInput={event => setBody(event.currentTarget.value)} />}
        </Field>
        <div class="actions">
          <Button onClick={check}>{t('check')}</Button>
          <span role="status">
            {result !== undefined && (
              <Badge tone={result ? 'good' : 'bad'}>{t(result ? 'signatureGood' : 'signatureBad')}</Badge>
            )}
          </span>
        </div>
      </details>
    </Card>
  )
}
