import type { ErrorObject } from 'ajv'

/**
 * Of a union ajv reports what every branch has against the value, and then the union itself. Kept is what the one branch
 * says whose type the value has; where none or several have it, the union's own entry, with the types that would do.
 */
export function withoutOtherBranches(found: readonly ErrorObject[]): readonly ErrorObject[] {
  const dropped = new Set<ErrorObject>()
  const named = new Map<ErrorObject, ErrorObject>()
  // Inner unions stand before outer ones.
  for (const union of found.toReversed()) {
    if (union.keyword !== 'anyOf' || dropped.has(union)) continue
    const branches = branchesOf(union, found)
    const fitting = [...branches.values()].filter(branch => !branch.some(error => isTypeOf(union, error)))
    const [only] = fitting.length === 1 ? fitting : []
    for (const branch of branches.values()) if (branch !== only) for (const error of branch) dropped.add(error)
    if (only !== undefined) dropped.add(union)
    else if (fitting.length === 0) named.set(union, withTypes(union, [...branches.values()].flat()))
  }
  return found.filter(error => !dropped.has(error)).map(error => named.get(error) ?? error)
}

function branchesOf(union: ErrorObject, found: readonly ErrorObject[]): Map<string, ErrorObject[]> {
  const under = `${union.schemaPath}/`
  const branches = new Map<string, ErrorObject[]>()
  for (const error of found) {
    if (!error.schemaPath.startsWith(under) || !isWithin(union.instancePath, error.instancePath)) continue
    const index = error.schemaPath.slice(under.length).split('/', 1)[0] ?? ''
    const branch = branches.get(index)
    if (branch === undefined) branches.set(index, [error])
    else branch.push(error)
  }
  return branches
}

const isWithin = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`)

const isTypeOf = (union: ErrorObject, error: ErrorObject): boolean =>
  error.keyword === 'type' && error.instancePath === union.instancePath

const withTypes = (union: ErrorObject, inside: readonly ErrorObject[]): ErrorObject => {
  const types = inside.filter(error => isTypeOf(union, error)).flatMap(({ params }) => params.type)
  return { ...union, keyword: 'type', params: { type: [...new Set(types)] } }
}
