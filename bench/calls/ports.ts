/** Where a B2BUA listens, and where it sends each call on to. */
export interface CallPorts {
  readonly listen: number
  readonly callee: number
}
