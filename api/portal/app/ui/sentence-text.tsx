import { sentence } from '../sentences.ts'

/** A sentence of the recorder or the simulator; what of it has no text in the language of the page is marked (WCAG 3.1.2). */
export function SentenceText({ of }: { readonly of: string }) {
  const { before, english, after } = sentence(of)
  return (
    <>
      {before}
      {english !== '' && <span lang="en">{english}</span>}
      {after}
    </>
  )
}
