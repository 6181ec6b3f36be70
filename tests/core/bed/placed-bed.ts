import { CallBed } from './call-bed.ts'

export const to = '+254722222222'
export const from = '+254700000001'

/** A callee that answers receives what the verbs say. */
export function placing(verbs = '<Say>Hello</Say>'): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/out', `<Response>${verbs}</Response>`)
  return bed
}
