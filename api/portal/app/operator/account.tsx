import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { OperatorAccount } from '../api-types.ts'
import { bytes, count, money } from '../format.ts'
import { useLoad } from '../load.ts'
import { Statement } from '../pages/wallet.tsx'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Copy,
  Dialog,
  Empty,
  Field,
  Page,
  Sure,
  Trouble,
  useOnce,
  Waiting,
} from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize } from '../ui/table.tsx'

const limits = ['max_concurrent_calls', 'max_calls_per_second', 'max_inbound_calls', 'max_dialled_legs'] as const
const credits = ['grace_amount', 'credit_limit'] as const

export default function Account({ id }: { readonly id: string }) {
  const path = { uuid: id }
  const { data, error, reload } = useLoad(`account ${id} ${offsetOf()}`, async () => {
    const [account, ledger] = await Promise.all([
      must(api.GET('/operator/accounts/{uuid}', { params: { path } })),
      must(
        api.GET('/operator/accounts/{uuid}/ledger', {
          params: { path, query: { limit: pageSize, offset: offsetOf() } },
        }),
      ),
    ])
    return { account, ledger }
  })
  const [link, show] = useState<string | undefined>(undefined)
  if (data === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('accounts')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const { account, ledger } = data
  const isActive = account.status === 'active'
  const makeLink = (as: boolean) =>
    attempt(async () => {
      const { url } = await must(
        api.POST('/operator/accounts/{uuid}/link', { params: { path }, body: { sign_in_as: as } }),
      )
      // The link is good here too, whatever name the switch has for others.
      if (as) location.assign(new URL(url).hash)
      else show(url)
    })
  return (
    <Page
      back={{ href: href('operator', 'accounts'), text: t('accounts') }}
      title={account.name}
      lead={
        <span class="facts">
          <Badge tone={isActive ? 'good' : 'bad'}>{word('account', account.status)}</Badge>
          <span class="with-copy">
            <code>{account.uuid}</code>
            <Copy text={account.uuid} label="uuid" />
          </span>
        </span>
      }
      actions={
        <>
          <Button onClick={() => makeLink(false)}>{t('portalLink')}</Button>
          <Sure label={t('signInAs')} question={t('signInAsSure')} act={() => makeLink(true)} />
          <Sure
            kind={isActive ? 'danger' : 'plain'}
            label={t(isActive ? 'suspend' : 'activate')}
            question={t(isActive ? 'suspendSure' : 'activateSure')}
            act={async () => {
              await must(
                api.PATCH('/operator/accounts/{uuid}', {
                  params: { path },
                  body: { status: isActive ? 'suspended' : 'active' },
                }),
              )
              reload()
            }}
          />
        </>
      }
    >
      <div class="tiles">
        <div class="tile">
          <span>{t('balance')}</span>
          <b>{money(account.wallet_balance)}</b>
        </div>
        <div class="tile">
          <span>{t('held')}</span>
          <b>{money(account.held_amount)}</b>
        </div>
        <div class="tile">
          <span>{t('liveCalls')}</span>
          <b>{count(account.live_calls)}</b>
        </div>
        <div class="tile">
          <span>{t('recordings')}</span>
          <b>{bytes(account.usage.recording_bytes)}</b>
        </div>
      </div>
      <div class="columns two">
        <Limits account={account} done={reload} />
        <TopUp id={id} done={reload} />
      </div>
      <Card title={t('statement')}>
        {ledger.entries.length === 0 ? <Empty>{t('noEntries')}</Empty> : <Statement rows={ledger.entries} />}
        <Pager total={ledger.total} />
      </Card>
      {link !== undefined && (
        <Dialog title={t('portalLink')} close={() => show(undefined)}>
          <p>{t('portalLinkLead')}</p>
          <p class="with-copy">
            <code class="cut">{link}</code>
            <Copy text={link} label={t('portalLink')} />
          </p>
        </Dialog>
      )}
    </Page>
  )
}

function Limits({ account, done }: { readonly account: OperatorAccount; readonly done: () => void }) {
  const [values, set] = useState<Record<string, string>>(
    Object.fromEntries([...limits, ...credits].map(name => [name, String(account[name])])),
  )
  const save = () =>
    attempt(async () => {
      const body = Object.fromEntries([
        ...limits.map(name => [name, Number(values[name])] as const),
        ...credits.map(name => [name, values[name] ?? '0'] as const),
      ])
      await must(api.PATCH('/operator/accounts/{uuid}', { params: { path: { uuid: account.uuid } }, body }))
      done()
    }, t('saved'))
  return (
    <Card title={t('limits')}>
      <div class="row">
        {[...limits, ...credits].map(name => (
          <Field key={name} label={word('limit', name)}>
            {field => (
              <input
                {...field}
                inputMode="decimal"
                value={values[name]}
                onInput={event => set({ ...values, [name]: event.currentTarget.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <div class="actions end">
        <Button kind="main" onClick={save}>
          {t('save')}
        </Button>
      </div>
    </Card>
  )
}

function TopUp({ id, done }: { readonly id: string; readonly done: () => void }) {
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const once = useOnce()
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    once(async () => {
      await must(
        api.POST('/operator/accounts/{uuid}/credit', { params: { path: { uuid: id } }, body: { amount, reference } }),
      )
      setAmount('')
      setReference('')
      done()
    }, t('saved'))
  }
  return (
    <Card title={t('topUp')}>
      <form onSubmit={save}>
        <Field label={t('amount')} hint={t('amountHint')}>
          {field => (
            <input
              {...field}
              required
              inputMode="decimal"
              value={amount}
              onInput={event => setAmount(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={t('reference')} hint={t('referenceHint')}>
          {field => (
            <input
              {...field}
              maxLength={200}
              value={reference}
              onInput={event => setReference(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions end">
          <Button kind="main" type="submit">
            {t('topUp')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
