/** How a mux ends before its time. */

/** Thrown when the step was asked to stop. */
export class Stopped extends Error {}

/** Whether the operating system refused something: a fact of the disk, not of the media. */
export function isErrno(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'errno' in thrown
}
