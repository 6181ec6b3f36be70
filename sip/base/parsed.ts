/** Bytes from the network never throw: a fault is a value. */
export type Parsed<T, Fault extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: Fault; readonly at: number }
