/** Lines of a manual that are longer than the terminal is wide go on below, under their own beginning. */

/** The indent that what follows gets: that of the line, and of a term with two spaces behind it. */
function hangingIndent(line: string): string {
  const [lead = ''] = /^ *(?:\S+ {2,})?/.exec(line) ?? []
  return ' '.repeat(lead.length)
}

function wrapLine(line: string, columns: number): string[] {
  if (line.length <= columns) return [line]
  const indent = hangingIndent(line)
  const [first = '', ...words] = line.slice(indent.length).split(' ')
  const lines = [line.slice(0, indent.length) + first]
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(indent + word)
  }
  return lines
}

/** `columns`: 40 or more are honoured. */
export function wrapManual(text: string, columns: number): string {
  const room = Math.max(40, columns)
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, room))
    .join('\n')
}
