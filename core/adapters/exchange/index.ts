export { type ExchangePorts, ExchangeRunner, type ExchangeRunnerOptions } from './runner.ts'
