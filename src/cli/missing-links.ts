/** What of a list of links has no task yet: an earlier run of the same command was ended while it added them. */
import { checkLink } from '../shared/link.ts'

/** The form in which a task has its link; a link that none can be made of stands for itself, to be refused again. */
function asInTask(link: string): string {
  try {
    return checkLink(link).url
  } catch {
    return link
  }
}

/**
 * The links that no task has, in their order. `known`: the link of each task. One that is listed several times is
 * wanted as often, and the first ones are those that have tasks.
 */
export function missingLinks(links: readonly string[], known: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const url of known) left.set(url, (left.get(url) ?? 0) + 1)
  return links.filter((link) => {
    const url = asInTask(link)
    const tasks = left.get(url) ?? 0
    if (tasks > 0) left.set(url, tasks - 1)
    return tasks === 0
  })
}
