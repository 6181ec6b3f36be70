import { pino } from 'pino'
import type { Log, LogLevel } from '../core/index.ts'

interface ProcessLog extends Log {
  /** Writes what is still buffered; call it before the process ends. */
  flush(): void
}

/** One line of JSON per entry; lines for people when the output is a terminal. */
export function openLog(level: LogLevel, isTerminal = process.stdout.isTTY === true): ProcessLog {
  const lines = pino.destination({ dest: 1, sync: false })
  const target = isTerminal ? { write: (line: string) => lines.write(forPeople(line)) } : lines
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    target,
  )
  return {
    error: (fields, message) => logger.error(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    info: (fields, message) => logger.info(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
    flush: () => {
      try {
        lines.flushSync()
      } catch {
        // The reader of our output has gone: there is no reader left.
      }
    },
  }
}

/** `08:30:00 info  ready http=127.0.0.1:8080` */
function forPeople(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${inWords(value)}`)
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[String(msg), ...pairs].join(' ')}\n`
}

function inWords(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /[\s"]/.test(value) && !value.includes('\n') ? JSON.stringify(value) : value
}
