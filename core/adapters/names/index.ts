export { type NameCounters, NameFault, NameResolver, type ResolvedAddress } from './name-resolver.ts'
