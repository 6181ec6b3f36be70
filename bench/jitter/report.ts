import { contenders, type Results, type Row } from './measure.ts'

const codecNames = { PCMU: 'G.711 (PCMU)', opus: 'Opus, with its forward error correction' } as const
const whole = (value: number): string => value.toFixed(0)

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map((_, n) => (n === 0 ? '---' : '--:')).join('|')}|`,
    ...rows.map(row => `| ${row.join(' | ')} |`),
  ].join('\n')

/** Scores and delays of one codec, for a page and for a terminal. */
export const comparisonOf = (rows: readonly Row[]): string =>
  tableOf(
    ['network', ...contenders.map(one => one.name)],
    rows.map(({ trace, measured }) => [
      trace.name,
      ...measured.map(one => `${one.score.toFixed(1)} · ${whole(one.meanMs)} / ${whole(one.p95Ms)} ms`),
    ]),
  )

const countersOf = (rows: readonly Row[]): string =>
  tableOf(
    ['network', 'packets', 'lost on the way', 'unheard', 'concealed', 'accelerated', 'expanded'],
    rows.map(({ trace, packets, lostPercent, measured }) => {
      const { unheard, concealedMs, acceleratedMs, expandedMs } = measured[0]!.outcome
      return [
        trace.name,
        whole(packets),
        `${lostPercent.toFixed(1)} %`,
        whole(unheard),
        `${whole(concealedMs)} ms`,
        `${whole(acceleratedMs)} ms`,
        `${whole(expandedMs)} ms`,
      ]
    }),
  )

/** The page. `pictures`: the folder of the plots, from the page's place. */
export function reportOf(results: Results, pictures: string): string {
  const { rows, seconds, seed, engine } = results
  const narrow = rows.filter(row => row.codec === 'PCMU')
  const wide = rows.filter(row => row.codec === 'opus')
  return `# The jitter buffer, measured

Written by \`npm run bench:jitter\`, which makes it again with the same figures for the same seed (here ${seed}, ${seconds} s a
network). Nothing runs in real time: packets, networks and listeners live in virtual time.

Speech of four voices (${engine}) is coded into packets of 20 ms and sent over networks that are simulated like real ones.
Four listeners read them every 20 ms:

${contenders.map(one => `- **${one.name}**: ${one.about}`).join('\n')}

The networks:

${narrow.map(({ trace }) => `- **${trace.name}**: ${trace.about}`).join('\n')}

## What is heard

![Points short of 100, by network and listener](${pictures}/score.svg)

**The score** says how much of what was said is heard as it was said, 0 to 100; 100 is the sound of the same codec with every
packet in its place. Both sounds are turned into loudness in critical bands (windows of 32 ms, Zwicker's compression), the
cheapest way along both is found (dynamic time warping), and what differs on it is added up: what is left out costs its loudness,
what was never said costs its own or that of what it interrupts, uneven time costs a little, differences of a quarter are not
noticed. Within 200 ms the worst counts most. It is no PESQ or POLQA and no opinion of people's: it ranks listeners of the same
speech, and its points mean nothing beside other programs'.

## How late it is heard

![Mean delay and 95th percentile, by network and listener](${pictures}/delay.svg)

Delay is counted beyond the network's fastest way: what the buffer adds, and what jitter makes it add. A fixed buffer counts from
the first packet, which is seldom the fastest.

![Delay over time above the packets as they came](${pictures}/delay-over-time.svg)

Read the two together. A fixed buffer is right for one network: too long for an even one, too short for one that stalls. The
adaptive one keeps to little where little is enough, and where packets stall it takes the delay that costs a conversation less than
the losses would. What came late it plays, and then gives the time back: the score counts that against it, as sound that was not
said, where a fixed buffer has dropped words.

## Figures

Each cell: score · mean delay / 95th percentile.

### ${codecNames.PCMU}

${comparisonOf(narrow)}

### ${codecNames.opus}

${comparisonOf(wide)}

### What the adaptive buffer did (G.711)

${countersOf(narrow)}

*Unheard*: packets lost, or too late to be played. *Concealed*: audio generated for them and while waiting. *Accelerated*,
*expanded*: time taken out and put in by pitch periods.

## How it works

- **The aim** (\`rtp/jitter/delay-estimate.ts\`): a histogram of how much slower than the fastest recent packet each one was, half
  forgotten after 5 s. The delay is chosen at which a little more would cost a conversation as much as the late packets it saves,
  by the prices of ITU-T G.107.
- **Stretching** (\`rtp/jitter/delay-control.ts\`, \`stretch.ts\`): when the delay has been off the aim all through a window, a pitch
  period (5 to 15 ms) is left out or repeated where the sound is like itself, by overlap-add. After a long stall every frame
  gives up a period; more than 300 ms too much is dropped at once.
- **Losses** (\`concealment.ts\`): G.711 and G.722 in the manner of G.711 appendix I, Opus by itself; with Opus' error correction the
  buffer waits one packet longer while there are losses. A packet that comes after its place was filled is joined at the point
  of its first pitch period that fits the concealed audio.
- Calls between legs of the same codec have no jitter buffer at all: their packets are passed on byte by byte.
`
}
