/**
 * Figures in sentences. A figure is set apart (U+2068 … U+2069) while a sentence is put together, so that a
 * right-to-left sentence cannot tear "12.4 MB/s" to pieces; `Marked` turns the marks into `bdi`, `plain` drops them.
 */
const open = '\u2068'
const close = '\u2069'

/** Sets a figure apart. */
export function isolate(figure: string): string {
  return `${open}${figure}${close}`
}

/** Whether figures in it have been set apart already. */
export function isMarked(sentence: string): boolean {
  return sentence.includes(open)
}

/** The sentence without marks, for names, tooltips and announcements. */
export function plain(sentence: string): string {
  return sentence.replaceAll(open, '').replaceAll(close, '')
}

export interface Span {
  readonly text: string
  readonly isFigure: boolean
}

/** The sentence as spans of words and figures; a figure within a figure belongs to the outer one. */
export function spans(sentence: string): Span[] {
  const result: Span[] = []
  let text = ''
  let depth = 0
  const flush = (isFigure: boolean): void => {
    if (text !== '') result.push({ text, isFigure })
    text = ''
  }
  for (const character of sentence) {
    if (character === open) {
      if (depth === 0) flush(false)
      depth++
    } else if (character === close && depth > 0) {
      depth--
      if (depth === 0) flush(true)
    } else if (character !== close) {
      text += character
    }
  }
  flush(depth > 0)
  return result
}
