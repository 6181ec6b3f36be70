export { CallControl, type LiveCall, type LiveLeg } from './call-control.ts'
export { callEnvironment } from './environment.ts'
export type { LiveCallDump, LiveLegDump } from './live-dump.ts'
export { ExchangeRunner } from './runner.ts'
