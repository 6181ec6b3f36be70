import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { number } from '../format.ts'
import { useLoad } from '../load.ts'
import { dialFromPhone } from '../phone/overlay.tsx'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { attempt, Button, Dialog, Field, Select, Trouble } from '../ui/basics.tsx'

/** Calls to one of the account's numbers run the document from now on. */
export function AssignNumber({ url, close }: { readonly url: string; readonly close: () => void }) {
  const { data, error, reload } = useLoad('numbers', () => must(api.GET('/numbers/', {})))
  const [chosen, choose] = useState('')
  const uuid = chosen || data?.[0]?.uuid || ''
  const one = data?.find(each => each.uuid === uuid)
  const [isDone, done] = useState(false)
  const give = () =>
    attempt(async () => {
      await must(api.POST('/numbers/configure', { body: { uuid, webhook_urls: { voice_inbound: url } } }))
      done(true)
    }, t('saved'))
  return (
    <Dialog title={t('giveToNumber')} close={close}>
      <Trouble error={error} retry={reload} />
      {data?.length === 0 && (
        <>
          <p>{t('needsNumber')}</p>
          <div class="actions end">
            <a class="button main" href={href('numbers')}>
              {t('acquire')}
            </a>
          </div>
        </>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Field label={t('number')}>
            {field => (
              <Select
                {...field}
                value={uuid}
                options={data.map(each => [each.uuid, `${number(each.number)} ${each.friendly_name}`] as const)}
                change={choose}
              />
            )}
          </Field>
          <div class="actions end">
            {isDone && one !== undefined && (
              <Button
                glyph="calls"
                onClick={() => {
                  attempt(() => dialFromPhone(one.number))
                  close()
                }}
              >
                {t('testCall')}
              </Button>
            )}
            <Button kind="main" onClick={give}>
              {t('giveToNumber')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
