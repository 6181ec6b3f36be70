/** The order to a relay: a number of legs, each bridged with its neighbour. It answers with their ports. */
export interface Legs {
  readonly legs: number
  readonly peerPorts: readonly number[]
}
