/** The wire form of server-sent events (HTML standard, section 9.2). */

export interface ServerSentEvent {
  name: string
  data: unknown
  /** what a client gives back as `Last-Event-ID` */
  id?: string
}

/** JSON has no line breaks of its own, so one `data` line is enough. */
export function eventText({ name, data, id }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Keeps proxies from closing a stream on which nothing happens; clients do not see it. */
export const keepAliveText = ': \n\n'
export const keepAliveMs = 15_000
