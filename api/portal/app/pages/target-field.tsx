import { useState } from 'preact/hooks'
import { t } from '../texts/index.ts'
import { Field, Select } from '../ui/basics.tsx'

/** A document that calls can be sent to. */
export interface NamedDocument {
  readonly uuid: string
  readonly name: string
  readonly url: string
}

const elsewhere = 'elsewhere'

/** Where calls go: one of the account's documents by its name, or a URL of a server. `none`: what an empty URL means. */
export function TargetField({
  label,
  none,
  hint,
  url,
  documents,
  change,
}: {
  readonly label: string
  readonly none: string
  readonly hint?: string
  readonly url: string
  readonly documents: readonly NamedDocument[]
  readonly change: (url: string) => void
}) {
  const own = documents.find(document => document.url === url)
  const [isTyped, type] = useState(false)
  const isElsewhere = isTyped || (url !== '' && own === undefined)
  return (
    <>
      <Field label={label} hint={hint}>
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
