import type { Dns } from '../../../sip/transport/index.ts'
import { NameFault, type NameResolver } from '../names/index.ts'

/** The name does not exist, or has no such record: that is an answer too. */
const saysNone = (fault: unknown): boolean =>
  fault instanceof NameFault && (fault.code === 'ENOTFOUND' || fault.code === 'ENODATA')

/** The switch's resolver, as the SIP stack asks it. */
export const sipDns = (names: NameResolver): Dns => ({
  naptr: (name, customer) => names.naptr(name, customer),
  srv: (name, customer) => names.srv(name, customer),
  async addresses(name, { customer, isWhole = false } = {}) {
    try {
      const found = await names.addresses(name, { isWhole, ...(customer === undefined ? {} : { owner: customer }) })
      return found.map(({ address }) => address)
    } catch (fault) {
      if (saysNone(fault)) return []
      throw fault
    }
  },
})
