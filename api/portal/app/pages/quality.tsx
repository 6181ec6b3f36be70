import type { Call } from '../api-types.ts'
import { count, figure, length, number } from '../format.ts'
import { t } from '../texts/index.ts'
import { Card } from '../ui/basics.tsx'
import { Plot } from '../ui/plot.tsx'
import type { Trace, TraceRtp } from './trace.ts'

/** Speech lies above it; RFC 6464 goes down to -127 dBov. */
const quietestDbov = -90

const sumOf = (column: readonly (number | null)[]): number => column.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** A dash where nothing is known: 0 would say that nothing was concealed. */
const knownSumOf = (column: readonly (number | null)[]): number | string =>
  column.some(each => each !== null) ? sumOf(column) : '–'

/** How much of each point's time was concealed. */
const concealedPercent = ({ concealed_ms, seconds }: Trace['rtp'][number]): (number | null)[] =>
  concealed_ms.map((ms, place) => (ms === null ? null : Math.min(100, ms / (10 * (seconds[place] ?? 1)))))

/** Where no packet came, none was lost: that there was no sound must be said. */
const isSilent = ({ packets_received }: TraceRtp): boolean => sumOf(packets_received) === 0

/** One point is no line. */
const plottable = (trace: Trace | undefined) =>
  (trace?.rtp ?? []).filter(({ ms }) => ms.length > 1).sort((one, other) => (one.leg < other.leg ? -1 : 1))
export const isMeasured = (call: Call, trace: Trace | undefined): boolean =>
  plottable(trace).length > 0 || (call.quality?.length ?? 0) > 0

export function Quality({ call, trace }: { readonly call: Call; readonly trace: Trace | undefined }) {
  return (
    <Card id="quality" title={t('quality')}>
      {plottable(trace).map(each => (
        <div key={each.leg} class="measured">
          <h3>
            {each.leg} <small class="soft">{each.codec}</small>
          </h3>
          {isSilent(each) && <p class="bad">{t('silentLeg', { sent: count(sumOf(each.packets_sent)) })}</p>}
          <Measured rtp={each} />
        </div>
      ))}
      {call.quality?.map(leg => (
        <p key={leg.leg} class="soft">
          {number(leg.number)}: {leg.codec ?? '–'} · MOS {leg.mos ?? '–'} · {t('loss')} {figure(leg.loss_percent)} % ·{' '}
          {t('jitter')} {figure(Math.round(leg.jitter_ms))} ms
        </p>
      ))}
    </Card>
  )
}

function Measured({ rtp }: { readonly rtp: TraceRtp }) {
  return (
    <>
      {rtp.mos.some(mos => mos !== null) && (
        <Plot
          label={`MOS ${rtp.leg}`}
          at={rtp.ms.map(ms => length(ms / 1000))}
          most={5}
          series={[{ name: 'MOS', tone: 'brand', values: rtp.mos }]}
        />
      )}
      <Plot
        label={`${t('lossAndConcealed')} ${rtp.leg}`}
        at={rtp.ms.map(ms => length(ms / 1000))}
        unit=" %"
        series={[
          { name: t('loss'), tone: 'bad', values: rtp.loss_percent },
          { name: t('concealedShare'), tone: 'warn', values: concealedPercent(rtp) },
        ]}
      />
      <Plot
        label={`${t('jitterAndDelay')} ${rtp.leg}`}
        at={rtp.ms.map(ms => length(ms / 1000))}
        unit=" ms"
        series={[
          { name: t('jitter'), tone: 'warn', values: rtp.jitter_ms },
          { name: t('delay'), tone: 'calm', values: rtp.delay_ms },
        ]}
      />
      {rtp.level_dbov.some(level => level !== null) && (
        <Plot
          label={`${t('level')} ${rtp.leg}`}
          at={rtp.ms.map(ms => length(ms / 1000))}
          least={quietestDbov}
          most={0}
          unit=" dBov"
          series={[{ name: t('level'), tone: 'calm', values: rtp.level_dbov }]}
        />
      )}
      {!isSilent(rtp) && (
        <p class="soft">
          {t('lostAndConcealed', { lost: knownSumOf(rtp.packets_lost), concealed: knownSumOf(rtp.concealed_ms) })}
        </p>
      )}
    </>
  )
}
