/** What was agreed for each kind of work (the engine's target table), and how near a run came. */

/** One measured figure beside its bound; both in the same unit, and less is better. */
export interface Figure {
  /** what it is, in a few words: "vs curl" */
  name: string
  value: number
  bound: number
  /** what one would like to reach, null when the bound is all there is to want */
  stretch: number | null
  /** decimals and unit to print; a ratio has none */
  decimals: number
  unit: string
}

/** One line of the table at the head of the page. */
export interface Target {
  work: string
  figures: Figure[]
}

/** What a benchmark found: its part of the page, and its lines of the table at the head. */
export interface Section {
  text: string
  targets: Target[]
}

/** What `npm run bench -- id` runs, in a folder of its own. */
export interface Bench {
  id: string
  run(scratch: string, rounds: number): Promise<Section>
}

type Verdict = 'met' | 'within 1.3 ×' | 'missed'

/** The worst of the figures decides. */
function verdictOf({ figures }: Target): Verdict {
  const worst = Math.max(...figures.map(({ value, bound }) => (value <= bound ? 1 : value / bound)))
  // what should be 0 and is not gives Infinity; a figure that could not be had gives NaN, which is missed
  if (worst <= 1) return 'met'
  return worst <= 1.3 ? 'within 1.3 ×' : 'missed'
}

function said(value: number, { decimals, unit }: Figure): string {
  return `${value.toFixed(decimals)}${unit}`
}

/** A ratio to something, below 1 where Sluice is better. */
export function ratio(name: string, value: number, bound: number, stretch: number): Figure {
  return { name, value, bound, stretch, decimals: 2, unit: '' }
}

/** The summary in Markdown. */
export function summaryOf(targets: readonly Target[]): string {
  const lines = targets.map((target) => {
    const { work, figures } = target
    const named = (values: (figure: Figure) => string) =>
      figures.map((figure) => `${values(figure)}${figure.name === '' ? '' : ` ${figure.name}`}`).join(', ')
    const stretch = figures.map((figure) => (figure.stretch === null ? '–' : said(figure.stretch, figure)))
    return `| ${[
      work,
      named((figure) => said(figure.value, figure)),
      figures.map((figure) => `≤ ${said(figure.bound, figure)}`).join(', '),
      stretch.join(', '),
      verdictOf(target),
    ].join(' | ')} |`
  })
  return ['| work | measured | target | stretch | |', '|---|---|---|---|---|', ...lines, ''].join('\n')
}
