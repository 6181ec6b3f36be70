import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { HostedDocument, SimulatedCourse } from '../api-types.ts'
import { money } from '../format.ts'
import { callPhone } from '../phone/overlay.tsx'
import { go, href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { attempt, Badge, Button, Card, Field, Select, tell } from '../ui/basics.tsx'
import { SentenceText } from '../ui/sentence-text.tsx'

const answers = ['answer', 'busy', 'no-answer', 'declined', 'unavailable'] as const

/** Runs the text in the simulator, and beside it by a call to the phone in this page. */
export function TryDocument({
  body,
  document,
  isChanged,
}: {
  readonly body: string
  readonly document: HostedDocument
  readonly isChanged: boolean
}) {
  const [press, setPress] = useState('')
  const [answer, setAnswer] = useState<(typeof answers)[number]>('answer')
  const [course, setCourse] = useState<SimulatedCourse | undefined>(undefined)
  const run = () =>
    attempt(async () => {
      const keys = press.split(/[\s,]+/).filter(each => each !== '')
      setCourse(await must(api.POST('/documents/simulate', { body: { body, press: keys, answer } })))
    })
  const callMe = () =>
    attempt(async () => {
      const [number] = await must(api.GET('/numbers/', {}))
      if (number === undefined) {
        tell(t('needsNumber'), true, { href: href('numbers'), text: t('acquire') })
        return
      }
      const uuid = await callPhone(number.number, document.url)
      if (uuid !== undefined) go('calls', uuid)
    })
  return (
    <Card title={t('tryIt')}>
      <div class="row">
        <Field label={t('keysPressed')} hint={t('keysHint')}>
          {field => (
            <input {...field} value={press} inputMode="tel" onInput={event => setPress(event.currentTarget.value)} />
          )}
        </Field>
        <Field label={t('calleesDo')}>
          {field => (
            <Select
              {...field}
              value={answer}
              options={answers.map(each => [each, word('callee', each)] as const)}
              change={value => setAnswer(answers.find(each => each === value) ?? 'answer')}
            />
          )}
        </Field>
      </div>
      <div class="actions">
        <Button kind="main" glyph="play" onClick={run}>
          {t('simulate')}
        </Button>
        <Button glyph="calls" disabled={isChanged} title={isChanged ? t('saveFirst') : undefined} onClick={callMe}>
          {t('callMe')}
        </Button>
      </div>
      {course !== undefined && (
        <div class="course" role="status">
          <ol>
            {course.steps.map((step, place) => (
              <li key={place}>
                <span class="figure">{(step.at_ms / 1000).toFixed(1)} s</span> <SentenceText of={step.text} />
              </li>
            ))}
          </ol>
          <p>
            <Badge tone={course.end.status === 'completed' ? 'good' : 'bad'}>{course.end.reason_code}</Badge>{' '}
            {word('end', course.end.reason_code)} · {course.end.duration_seconds} s · {money(course.end.cost)}
          </p>
        </div>
      )}
    </Card>
  )
}
