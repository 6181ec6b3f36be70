import type { Group } from './action/action.ts'
import { account } from './groups/account.ts'
import { asset } from './groups/asset.ts'
import { call } from './groups/call.ts'
import { capture } from './groups/capture.ts'
import { document } from './groups/document.ts'
import { drain } from './groups/drain.ts'
import { number } from './groups/number.ts'
import { rate } from './groups/rate.ts'
import { trunk } from './groups/trunk.ts'

/** Commands that are requests to the API of a running switch, in the order of the help. */
export const groups: readonly Group[] = [account, number, trunk, rate, document, asset, call, capture, drain]
