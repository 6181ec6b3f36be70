import type { Rate } from '../api-types.ts'

interface DeckDiff {
  readonly added: readonly Rate[]
  readonly removed: readonly Rate[]
  readonly changed: readonly { readonly before: Rate; readonly after: Rate }[]
  readonly same: number
}

export interface ReadDeck {
  readonly rates: readonly Rate[]
  readonly problems: readonly string[]
}

const money = /^\d{1,9}(\.\d{1,4})?$/

/** `prefix,direction,rate_per_minute[,increment_seconds,minimum_seconds,connection_fee]`; a first line without digits is a head. */
export function readRates(text: string): ReadDeck {
  const rates: Rate[] = []
  const problems: string[] = []
  const seen = new Set<string>()
  text.split(/\r?\n/).forEach((line, place) => {
    if (line.trim() === '' || (place === 0 && !/\d/.test(line))) return
    const [prefix = '', direction = '', perMinute = '', increment = '60', minimum = '0', fee = '0'] = line
      .split(/[,;\t]/)
      .map(cell => cell.trim().replace(/^"(.*)"$/, '$1'))
    const written = /^\d/.test(prefix) ? `+${prefix}` : prefix
    const fault = !/^(\+\d{0,15}|sip:.+)$/.test(written)
      ? 'prefix'
      : direction !== 'outbound' && direction !== 'inbound'
        ? 'direction'
        : !money.test(perMinute)
          ? 'rate_per_minute'
          : !/^[1-9]\d{0,4}$/.test(increment)
            ? 'increment_seconds'
            : !/^\d{1,5}$/.test(minimum)
              ? 'minimum_seconds'
              : !money.test(fee)
                ? 'connection_fee'
                : seen.has(`${direction} ${written}`)
                  ? 'prefix: twice'
                  : undefined
    if (fault !== undefined || (direction !== 'outbound' && direction !== 'inbound')) {
      problems.push(`${place + 1}: ${fault ?? 'direction'}`)
      return
    }
    seen.add(`${direction} ${written}`)
    rates.push({
      prefix: written,
      direction,
      rate_per_minute: perMinute,
      increment_seconds: Number(increment),
      minimum_seconds: Number(minimum),
      connection_fee: fee,
    })
  })
  return { rates, problems }
}

const keyOf = (rate: Rate): string => `${rate.direction} ${rate.prefix}`
const isSame = (one: Rate, other: Rate): boolean =>
  Number(one.rate_per_minute) === Number(other.rate_per_minute) &&
  one.increment_seconds === other.increment_seconds &&
  one.minimum_seconds === other.minimum_seconds &&
  Number(one.connection_fee) === Number(other.connection_fee)

/** What applying `after` would change. */
export function diffOf(before: readonly Rate[], after: readonly Rate[]): DeckDiff {
  const [old, now] = [new Map(before.map(rate => [keyOf(rate), rate])), new Map(after.map(rate => [keyOf(rate), rate]))]
  const added = after.filter(rate => !old.has(keyOf(rate)))
  const removed = before.filter(rate => !now.has(keyOf(rate)))
  const both = after.flatMap(rate => {
    const was = old.get(keyOf(rate))
    return was === undefined ? [] : [{ before: was, after: rate }]
  })
  const changed = both.filter(pair => !isSame(pair.before, pair.after))
  return { added, removed, changed, same: both.length - changed.length }
}
