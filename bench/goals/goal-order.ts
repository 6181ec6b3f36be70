/** How a goal is to be measured. */
export interface GoalOrder {
  readonly rounds: number
  /** Of each round. */
  readonly seconds: number
  /** What repeats the measurement alone. */
  readonly command: string
  readonly progress: (line: string) => void
}
