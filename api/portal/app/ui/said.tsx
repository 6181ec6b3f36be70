import { Refused } from '../refused.ts'
import { problemText, refusalText } from '../switch-texts/index.ts'
import { language } from '../texts/index.ts'

/** What the switch has written, by its text in the language of the page; English in another language is marked, so that screen readers say it as it is (WCAG 3.1.2). */
const Said = ({ text, own }: { readonly text: string; readonly own: string | undefined }) =>
  own === undefined && language.value !== 'en' ? <span lang="en">{text}</span> : (own ?? text)

/** What is wrong in a document, or why none came. */
export const ProblemText = ({ message }: { readonly message: string }) => (
  <Said text={message} own={problemText(message)} />
)

/** What went wrong: a text of the page, or what the switch refuses. */
export const FaultText = ({ fault }: { readonly fault: string | Error }) => {
  if (typeof fault === 'string') return fault
  if (!(fault instanceof Refused)) return fault.message
  return (
    <>
      {fault.about !== '' && (
        <>
          <bdi>{fault.about}</bdi>:{' '}
        </>
      )}
      <Said text={fault.message} own={refusalText(fault.body)} />
    </>
  )
}
