import { useEffect, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { useLoad } from '../load.ts'
import { t } from '../texts/index.ts'
import { attempt, Button, Card, Field, Page, Trouble, Waiting } from '../ui/basics.tsx'

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(each => each !== '')

export default function DestinationLists() {
  const { data, error, reload } = useLoad('destinations', () => must(api.GET('/operator/destinations', {})))
  const [blocked, setBlocked] = useState('')
  const [allowed, setAllowed] = useState('')
  useEffect(() => {
    setBlocked(data?.blocked.join('\n') ?? '')
    setAllowed(data?.allowed.join('\n') ?? '')
  }, [data])
  const save = () =>
    attempt(async () => {
      await must(api.PUT('/operator/destinations', { body: { blocked: listOf(blocked), allowed: listOf(allowed) } }))
      reload()
    }, t('saved'))
  return (
    <Page
      title={t('destinations')}
      lead={t('destinationsLead')}
      actions={
        // What could not be read must not be written over.
        data !== undefined && (
          <Button kind="main" onClick={save}>
            {t('save')}
          </Button>
        )
      }
    >
      <Trouble error={error} retry={reload} />
      {data === undefined && error === undefined && <Waiting />}
      {data !== undefined && (
        <div class="columns two even">
          <Card>
            <Field label={t('blocked')} hint={t('onePrefixALine')}>
              {field => (
                <textarea
                  {...field}
                  rows={14}
                  value={blocked}
                  onInput={event => setBlocked(event.currentTarget.value)}
                />
              )}
            </Field>
          </Card>
          <Card>
            <Field label={t('allowed')} hint={t('onePrefixALine')}>
              {field => (
                <textarea
                  {...field}
                  rows={14}
                  value={allowed}
                  onInput={event => setAllowed(event.currentTarget.value)}
                />
              )}
            </Field>
          </Card>
        </div>
      )}
    </Page>
  )
}
