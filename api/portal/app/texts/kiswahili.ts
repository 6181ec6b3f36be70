// All of the language in one file, which is loaded when it is spoken.
export { sw } from './sw.ts'
export { swReasons } from './sw-reasons.ts'
