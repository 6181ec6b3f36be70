export { startThread } from '../../../rtp/io/start-thread.ts'
