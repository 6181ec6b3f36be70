export { type TestRefusal, TrunkCalls } from './trunk-calls.ts'
