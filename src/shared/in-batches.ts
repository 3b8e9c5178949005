/**
 * Gathers what is sent within one turn of the event loop: a message between processes costs its sender as much as
 * dozens of them in one. Nothing waits longer than the turn in which it was sent.
 */
export function inBatches<T>(
  send: (batch: T[]) => void,
  endOfTurn: (callback: () => void) => void,
): (message: T) => void {
  let batch: T[] = []
  return (message) => {
    batch.push(message)
    if (batch.length > 1) return
    endOfTurn(() => {
      const whole = batch
      batch = []
      send(whole)
    })
  }
}
