/** Text from outside on a terminal: nothing in it may steer the terminal, and it takes the columns it is given. */

/** Without control characters: a hostile title must not move the cursor or rename the window. */
export function plainText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Columns that plain text takes: wide East Asian characters and emoji count double (Unicode TR 11, roughly). */
export function columnsOf(text: string): number {
  let columns = 0
  for (const char of text) {
    if (/\p{Mark}|[\u200b-\u200d\ufeff]/u.test(char)) continue
    columns += wide.test(char) ? 2 : 1
  }
  return columns
}

/** Plain text cut (with `…`) or padded to exactly so many columns. */
export function fit(text: string, columns: number): string {
  const clean = plainText(text)
  const taken = columnsOf(clean)
  if (taken <= columns) return clean + ' '.repeat(columns - taken)
  let kept = ''
  let used = 0
  for (const char of clean) {
    const more = columnsOf(char)
    if (used + more > columns - 1) break
    kept += char
    used += more
  }
  return `${kept}…${' '.repeat(Math.max(0, columns - 1 - used))}`
}
