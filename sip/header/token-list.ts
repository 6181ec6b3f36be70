import { splitList } from '../grammar/comma-list.ts'
import { isToken } from '../grammar/token.ts'

/**
 * Require, Proxy-Require, Supported, Unsupported and Allow (RFC 3261 §20.5, §20.32, §20.37): the tokens of all values
 * that `headersOf` gives. What is no token is left out, as it can name nothing that we know.
 */
export const parseTokens = (values: readonly string[]): readonly string[] => values.flatMap(splitList).filter(isToken)

export const formatTokens = (tokens: readonly string[]): string => tokens.join(', ')

/** Option tags are compared without regard to case (§7.3.1). */
export function includesToken(tokens: readonly string[], token: string): boolean {
  const lower = token.toLowerCase()
  return tokens.some(known => known.toLowerCase() === lower)
}
