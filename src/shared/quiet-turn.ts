/**
 * Gathers what several causes bring one shortly after the other, such as commits of tasks that go the same way side by
 * side: while each turn of the event loop brings more, a commit, a sync or a message for all is worth waiting for. One
 * that goes ahead alone stays ahead, and everything after it is done twice.
 */

/** Whoever waits hears no later than after so many turns, however much comes. */
const mostTurns = 8

/** Acts at the end of the first turn in which `count` did not change. */
export function onQuietTurn(
  count: () => number,
  endOfTurn: (callback: () => void) => void,
  act: () => void,
): void {
  const look = (before: number, turns: number) => {
    endOfTurn(() => {
      const now = count()
      if (now === before || turns === mostTurns) act()
      else look(now, turns + 1)
    })
  }
  look(count(), 1)
}
