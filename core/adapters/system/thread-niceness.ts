export { giveWay } from '../../../rtp/io/thread-niceness.ts'
