/** The documented exit codes of `sluice`. */
export const exitCodes = {
  /** every file is whole */
  whole: 0,
  /** some are not */
  notWhole: 1,
  /** bad usage, nothing was touched */
  usage: 2,
  /** interrupted, the same command goes on */
  interrupted: 130,
} as const
