import { acme } from './acme.ts'
import { CallRig } from './call-bed.ts'

export const hook = 'https://acme.test/out'

/** An account whose softphones' calls are answered by `document`. */
export function rigWith(document: string, set: Partial<typeof acme> = {}): CallRig {
  const rig = new CallRig()
  rig.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook }, ...set }, 10_000_000)
  rig.documents.set(hook, document)
  return rig
}
