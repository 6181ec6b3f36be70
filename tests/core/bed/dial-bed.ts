import * as assert from 'uvu/assert'
import { CallBed } from './call-bed.ts'

/** The number that is called, and two that it dials. */
export const at = '+254700000001'
export const far = '+254733333333'
export const other = '+254744444444'

/** A number whose document is that Dial, after what stands before it; `/after` says goodbye. */
export function dialling(dial: string, before = ''): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', `<Response>${before}${dial}</Response>`)
  bed.documents.set('https://acme.test/after', '<Response><Say>Bye</Say></Response>')
  return bed
}

export const dialTo = (...numbers: string[]) =>
  `<Dial action="/after">${numbers.map(number => `<Number>${number}</Number>`).join('')}</Dial>`

/** What the one action callback said. */
export const action = (bed: CallBed) => {
  const posts = bed.posts.filter(post => post.url.endsWith('/after'))
  assert.is(posts.length, 1, 'one action')
  return posts[0]!.fields
}
