import type { ErrorObject } from 'ajv'
import { headerName } from './header-name.ts'
import type { FieldProblem } from './refusal.ts'
import { withoutOtherBranches } from './union-problems.ts'

/** A hostile body can break thousands of rules at once; at most this many are reported. */
const maxProblems = 20

/** Ajv's findings in words: the field as `a.b[2]`, and what would be right. */
export function fieldProblems(found: readonly ErrorObject[], where: string): FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  for (const error of withoutOtherBranches(found)) {
    if (problems.size === maxProblems) break
    const field = fieldOf(error, where)
    if (!problems.has(field)) problems.set(field, { field, message: messageOf(error) })
  }
  return [...problems.values()]
}

function fieldOf(error: ErrorObject, where: string): string {
  const segments = error.instancePath
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (error.keyword === 'required') segments.push(String(error.params.missingProperty))
  if (where === 'headers') return headerName(segments.join('.'))
  const path = segments.reduce((path, segment) => {
    if (/^\d+$/.test(segment)) return `${path}[${segment}]`
    return path === '' ? segment : `${path}.${segment}`
  }, '')
  return path === '' ? where : path.slice(0, 200)
}

/** A schema may say in its `x-problem` what its pattern or its choice wants. */
function messageOf(error: ErrorObject): string {
  const problem: unknown = error.parentSchema?.['x-problem']
  if (error.keyword === 'required') return 'is required'
  if (typeof problem === 'string' && error.keyword !== 'type') return problem
  switch (error.keyword) {
    case 'type':
      return `must be ${[error.params.type].flat().join(' or ')}`
    case 'enum':
      return `must be one of ${(error.params.allowedValues as readonly unknown[]).join(', ')}`
    case 'const':
      return `must be ${String(error.params.allowedValue)}`
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} characters`
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    case 'maxItems':
      return `must have at most ${error.params.limit} entries`
    default:
      return error.message ?? 'is not valid'
  }
}
