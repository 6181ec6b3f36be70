import { formatNameAddr, type NameAddr, parseNameAddr, parseNameAddrs } from './name-addr.ts'
import { parameterOf } from './parameters.ts'

// Route and Record-Route (RFC 3261 §20.30, §20.34), Path and Service-Route share one grammar.
export const parseRoute = parseNameAddr
export const parseRoutes = parseNameAddrs
export const formatRoute = formatNameAddr

/** RFC 3261 §16.12.1.1: a loose router leaves the Request-URI alone. */
export const isLooseRoute = (route: NameAddr): boolean =>
  route.uri.kind === 'sip' && parameterOf(route.uri.parameters, 'lr') !== undefined
