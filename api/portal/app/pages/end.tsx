import { Fragment } from 'preact'
import type { Call } from '../api-types.ts'
import { number } from '../format.ts'
import { inLanguage, reasonPage } from '../reason-link.ts'
import { href } from '../router.ts'
import { endFacts } from '../sw-end-facts.ts'
import { problemText } from '../switch-texts/index.ts'
import { reasonText, t, word } from '../texts/index.ts'
import { Prose } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { type CallParts, nextSteps, type Step } from './next-steps.ts'
import { isLive, outcomeOf } from './outcome.ts'
import type { Trace, TraceProblem } from './trace.ts'

/** Why it ended, in words, what had gone wrong before, and what to do. */
export function End({ call, trace, parts }: EndProps) {
  if (isLive(call)) return null
  const end = trace?.end
  const problems = end?.problems ?? []
  const outcome = outcomeOf(call, end ?? {})
  return (
    <div class={`outcome ${outcome}`}>
      <Icon name={outcome === 'good' ? 'check' : 'warn'} />
      <div>
        <Why
          code={call.reason_code}
          sentence={end?.sentence ?? word('end', call.reason_code)}
          advice={end?.advice ?? ''}
          link={end?.link ?? reasonPage(call.reason_code)}
          parts={parts}
        />
        {problems.length > 0 && (
          <>
            <p class="before">{t('beforeThat')}</p>
            <ul>
              {problems.map(problem => (
                <li key={problem.sentence}>
                  <Why {...problem} parts={parts} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}

interface EndProps {
  readonly call: Call
  readonly trace: Trace | undefined
  readonly parts: CallParts
}

type WhyProps = Omit<TraceProblem, 'code'> & { readonly code: string; readonly parts: CallParts }

/** In the chosen language, with what the switch's own sentence names of the call: a number, an answer, a line. */
function Why({ code, sentence, advice, link, parts }: WhyProps) {
  const own = reasonText(code, sentence)
  const facts = own === undefined ? [] : endFacts(sentence, problemText)
  return (
    <div class="why">
      <p>
        <b>
          <Prose text={own?.why ?? sentence} />
        </b>
        {facts.length > 0 && (
          <span class="soft">
            {facts.map(({ text, english = '' }, at) => (
              <Fragment key={text + english}>
                {at === 0 ? ' ' : ' · '}
                {text}
                {english !== '' && <span lang="en">{english}</span>}
              </Fragment>
            ))}
          </span>
        )}
      </p>
      {advice !== '' && (
        <p class="advice">
          <Prose text={own?.advice ?? advice} />
        </p>
      )}
      <p class="next">
        {nextSteps(code, sentence, parts).map(step => (
          <StepLink key={step.to} step={step} />
        ))}
        <a class="about" href={inLanguage(link)}>
          {t('aboutReason', { code })}
        </a>
      </p>
    </div>
  )
}

function StepLink({ step }: { readonly step: Step }) {
  switch (step.to) {
    case 'wallet':
    case 'people':
    case 'webhooks':
    case 'assets':
    case 'recordings':
      return (
        <a class="button" href={href(step.to)}>
          {word('step', step.to)}
        </a>
      )
    case 'number':
      return (
        <a class="button" href={`${href('numbers')}?number=${encodeURIComponent(step.number)}`}>
          {t('step.number', { number: number(step.number) })}
        </a>
      )
    case 'document': {
      const { uuid, name, line } = step
      return (
        <a class="button" href={`${href('documents', uuid)}${line === undefined ? '' : `?line=${line}`}`}>
          {line === undefined ? t('step.document', { name }) : t('step.documentLine', { name, line })}
        </a>
      )
    }
    case 'documents':
      return (
        <Jump to={step.to}>
          {step.line === undefined ? t('step.documents') : t('step.documentsLine', { line: step.line })}
        </Jump>
      )
    default:
      return <Jump to={step.to}>{word('step', step.to)}</Jump>
  }
}

/** To a card of the same page; what stands behind `#` is the page. */
function Jump({ to, children }: { readonly to: string; readonly children: string }) {
  const jump = () => {
    const card = document.getElementById(to)
    card?.scrollIntoView()
    card?.focus({ preventScroll: true })
  }
  return (
    <button type="button" class="button" onClick={jump}>
      {children}
    </button>
  )
}
