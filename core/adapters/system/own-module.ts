export { ownModule } from '../../../rtp/io/own-module.ts'
