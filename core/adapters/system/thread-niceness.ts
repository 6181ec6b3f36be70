export { giveWay, goBefore, servedNiceness, takeBack } from '../../../rtp/io/thread-niceness.ts'
