export const logLevels = ['none', 'error', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogSink = (level: Exclude<LogLevel, 'none'>, ...args: unknown[]) => void

export type Log = Readonly<Record<Exclude<LogLevel, 'none'>, (...args: unknown[]) => void>>

const silent = (): void => {}

const consoleSink: LogSink = (level, ...args) => globalThis.console[level]('[phone]', ...args)

/** Messages of `level` and above reach the sink; a sink that throws is ignored afterwards. */
export function openLog(level: LogLevel, sink: LogSink = consoleSink): Log {
  const least = logLevels.indexOf(level)
  const at = (name: Exclude<LogLevel, 'none'>) =>
    logLevels.indexOf(name) > least
      ? silent
      : (...args: unknown[]) => {
          try {
            sink(name, ...args)
          } catch {
            // A log that fails must not end a call.
          }
        }
  return { error: at('error'), info: at('info'), debug: at('debug') }
}

/** A message fit for a log: the token opens the phone to the one who reads it. */
export const withoutSecrets = (message: string): string =>
  message.replace(/^((?:Proxy-)?Authorization: \w+ ).*$/gim, '$1…')
