import { PrefixTable } from './prefix.ts'

/**
 * Blocked until the operator allows them: where toll fraud collects. Satellite and shared-cost world services, then
 * premium and personal numbers of the countries that fraud favours.
 */
export const defaultBlocked: readonly string[] = [
  '+870', // Inmarsat
  '+878', // universal personal numbers
  '+881', // Iridium, Globalstar
  '+882', // international networks
  '+883', // international networks
  '+979', // international premium rate
  '+1900', // North America, premium
  '+1976', // North America, premium
  '+254900', // Kenya, premium
  '+33899', // France, premium
  '+34803', // Spain, premium
  '+34806', // Spain, premium
  '+34807', // Spain, premium
  '+39899', // Italy, premium
  '+41900', // Switzerland, premium
  '+41901', // Switzerland, premium
  '+41906', // Switzerland, premium
  '+4470', // United Kingdom, personal numbers
  '+449', // United Kingdom, premium
  '+49137', // Germany, mass calls
  '+49900', // Germany, premium
]

type Permission = 'blocked' | 'allowed'

/**
 * Which numbers may be dialled. The longest prefix decides, among the operator's lists and the default one together;
 * at equal length the operator's `blocked` beats its `allowed`, and both beat the default. What no prefix fits is
 * allowed; `+` fits everything, so blocking it makes `allowed` the whole list.
 */
export class Destinations {
  readonly #table: PrefixTable<Permission>

  constructor(blocked: readonly string[], allowed: readonly string[]) {
    const marked = (prefixes: readonly string[], permission: Permission) =>
      prefixes.map(prefix => [prefix, permission] as const)
    this.#table = new PrefixTable([
      ...marked(defaultBlocked, 'blocked'),
      ...marked(allowed, 'allowed'),
      ...marked(blocked, 'blocked'),
    ])
  }

  allows(e164: string): boolean {
    return this.#table.longest(e164) !== 'blocked'
  }
}
