export { ownModule } from '../../../rtp/io/index.ts'
