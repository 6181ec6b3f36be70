export {
  type LookupOptions,
  type NameCounters,
  NameFault,
  NameResolver,
  type NameResolverOptions,
  type ResolvedAddress,
} from './name-resolver.ts'
