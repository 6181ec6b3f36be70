import type { Group } from '../action.ts'
import { account } from './account.ts'
import { asset } from './asset.ts'
import { call } from './call.ts'
import { document } from './document.ts'
import { drain } from './drain.ts'
import { number } from './number.ts'
import { rate } from './rate.ts'
import { trunk } from './trunk.ts'

/** Commands that are requests to the API of a running switch, in the order of the help. */
export const groups: readonly Group[] = [account, number, trunk, rate, document, asset, call, drain]
