/** The documented exit codes of `sluice`. */
export const exitCodes = {
  /** done; every file is whole */
  whole: 0,
  /** some of it could not be done */
  notWhole: 1,
  /** bad usage, nothing was touched */
  usage: 2,
  /** no host runs that the command could talk to */
  noHost: 3,
  /** interrupted, the same command goes on */
  interrupted: 130,
} as const

/** Takes the exit code of the command that was carried out. */
export type Finish = (code: number) => void
