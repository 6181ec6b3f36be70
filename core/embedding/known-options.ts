import { suggestion } from '../model/nearest.ts'
import { SwitchError } from './errors.ts'

/** The names of all fields of `T`, so that the compiler holds the list and the type together. */
export type NamesOf<T> = Readonly<Record<keyof Required<T>, true>>

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every field that has no meaning, with the one that was probably meant: `"reelm" is no option; did you mean "realm"?` */
export function unknownOptions(given: object, names: Readonly<Record<string, true>>): readonly string[] {
  const known = Object.keys(names)
  return Object.keys(given)
    .filter(name => !known.includes(name))
    .map(name => `"${name}" is no option${suggestion(name, known)}`)
}

/** Throws `config.invalid` when `given` is no object, or has a field that has no meaning; `what` is who was asked. */
export function refuseUnknown(what: string, given: unknown, names: Readonly<Record<string, true>>): void {
  if (!isObject(given))
    throw new SwitchError(
      'config.invalid',
      `${what}: the options must be an object, as { ${Object.keys(names)[0]}: … }`,
    )
  const problems = unknownOptions(given, names)
  if (problems.length > 0)
    throw new SwitchError('config.invalid', `${what}: ${problems.join('; ')} (known: ${Object.keys(names).join(', ')})`)
}
