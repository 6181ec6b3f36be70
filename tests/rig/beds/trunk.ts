import { defaultTrunk } from '../../../core/adapters/store/trunks.ts'
import type { TrunkUuid } from '../../../core/model/ids.ts'
import type { Trunk } from '../../../core/model/trunk.ts'

/** A trunk of that name, which is its id too: at `<name>.test`, for every number, and as a new one is otherwise. */
export const trunk = (name: string, set: Partial<Trunk> = {}): Trunk => ({
  ...defaultTrunk,
  uuid: name as TrunkUuid,
  name,
  host: `${name}.test`,
  port: 5060,
  prefixes: ['+'],
  ...set,
})
