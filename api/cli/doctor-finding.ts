/** One line of `sauti doctor`. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'fault'
  readonly says: string
  /** The command or the line of a file that mends it. */
  readonly mend?: string
}

export const ok = (name: string, says: string): Finding => ({ name, state: 'ok', says })
export const warning = (name: string, says: string, mend: string): Finding => ({ name, state: 'warning', says, mend })
export const fault = (name: string, says: string, mend: string): Finding => ({ name, state: 'fault', says, mend })
