import { parameterOf } from '../grammar/parameters.ts'
import { formatNameAddr, type NameAddr, parseNameAddr, parseNameAddrs } from './name-addr.ts'

// Route and Record-Route (RFC 3261 §20.30, §20.34), Path and Service-Route share one grammar.
export const parseRoute = parseNameAddr
/** Reads all values of one Route or Record-Route field, in order. */
export const parseRoutes = parseNameAddrs
/** One value of Route or Record-Route, in angle brackets. */
export const formatRoute = formatNameAddr

/** RFC 3261 §16.12.1.1: a loose router leaves the Request-URI alone. */
export const isLooseRoute = (route: NameAddr): boolean =>
  route.uri.kind === 'sip' && parameterOf(route.uri.parameters, 'lr') !== undefined
