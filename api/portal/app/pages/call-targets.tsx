import { useState } from 'preact/hooks'
import { t, word } from '../texts/index.ts'
import { Field, Select } from '../ui/basics.tsx'

/** A document that calls can be sent to. */
export interface NamedDocument {
  readonly uuid: string
  readonly name: string
  readonly url: string
}

const elsewhere = 'elsewhere'

/** Where calls go: one of the account's documents by its name, or a URL of a server. `none`: what an empty URL means. */
function TargetField({
  label,
  none,
  url,
  documents,
  change,
}: {
  readonly label: string
  readonly none: string
  readonly url: string
  readonly documents: readonly NamedDocument[]
  readonly change: (url: string) => void
}) {
  const own = documents.find(document => document.url === url)
  const [isTyped, type] = useState(false)
  const isElsewhere = isTyped || (url !== '' && own === undefined)
  return (
    <>
      <Field label={label}>
        {field => (
          <Select
            {...field}
            value={isElsewhere ? elsewhere : (own?.uuid ?? '')}
            options={[
              ['', none],
              ...documents.map(document => [document.uuid, t('documentNamed', { name: document.name })] as const),
              [elsewhere, t('anotherUrl')],
            ]}
            change={chosen => {
              type(chosen === elsewhere)
              change(documents.find(document => document.uuid === chosen)?.url ?? '')
            }}
          />
        )}
      </Field>
      {isElsewhere && (
        <div class="field">
          <input
            aria-label={`${label}: ${t('url')}`}
            type="url"
            placeholder="https://"
            value={url}
            onInput={event => change(event.currentTarget.value)}
          />
        </div>
      )}
    </>
  )
}

interface Targets {
  readonly voice_inbound: string
  readonly voice_outbound: string
  readonly status: string
}

/** Where calls of both directions go, and where the status of each is sent: of a number, or of the account. */
export function CallTargets({
  none,
  statusHint,
  urls,
  documents,
  change,
}: {
  readonly none: string
  readonly statusHint?: string
  readonly urls: Targets
  readonly documents: readonly NamedDocument[]
  readonly change: (urls: Targets) => void
}) {
  return (
    <>
      {(['voice_inbound', 'voice_outbound'] as const).map(purpose => (
        <TargetField
          key={purpose}
          label={word('purpose', purpose)}
          none={none}
          url={urls[purpose]}
          documents={documents}
          change={url => change({ ...urls, [purpose]: url })}
        />
      ))}
      <Field label={word('purpose', 'status')} hint={statusHint}>
        {field => (
          <input
            {...field}
            type="url"
            value={urls.status}
            onInput={event => change({ ...urls, status: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  )
}
