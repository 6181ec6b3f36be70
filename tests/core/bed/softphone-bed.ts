import { acme } from './acme.ts'
import { CallBed } from './call-bed.ts'

export const hook = 'https://acme.test/out'

/** An account whose softphones' calls are answered by `document`. */
export function bedWith(document: string, set: Partial<typeof acme> = {}): CallBed {
  const bed = new CallBed()
  bed.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook }, ...set }, 10_000_000)
  bed.documents.set(hook, document)
  return bed
}
