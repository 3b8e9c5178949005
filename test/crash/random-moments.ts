/** Moments at which a test strikes: random, but the same again for the seed that a failure names. */
export interface Moments {
  readonly seed: number
  /** a whole number of ms in [least, most] */
  next(least: number, most: number): number
}

/** `SLUICE_CRASH_SEED` repeats a run, as far as the machine's own timing allows. */
export function randomMoments(): Moments {
  const seed = Number(process.env['SLUICE_CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
  let state = seed
  return {
    seed,
    next(least, most) {
      // a step of the generator "mulberry32": enough for moments
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      const fraction = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
      return least + Math.floor(fraction * (most - least + 1))
    },
  }
}

/** How often to strike: the default of `npm test`, or more by the environment for the figures that are published. */
export function timesFrom(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual)
}
