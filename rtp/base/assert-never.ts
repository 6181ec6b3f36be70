/** Ends a switch over a union: a member that gets no case of its own does not compile. Throws should one come all the same. */
export function assertNever(value: never): never {
  throw new TypeError(`not a member of the union: ${JSON.stringify(value)}`)
}
