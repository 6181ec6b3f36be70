/** Audio that `<Play asset>` names. */
export interface AssetRecord {
  readonly slug: string
  readonly mediaFormat: string
  readonly durationMs: number
  readonly sizeBytes: number
  /** Relative to the assets folder. */
  readonly path: string
  readonly createdUnix: number
}
