export { CallControl, type LiveCall, type LiveLeg } from './call-control.ts'
export { callEnvironment } from './environment.ts'
export { type ExchangePorts, ExchangeRunner, type ExchangeRunnerOptions } from './runner.ts'
