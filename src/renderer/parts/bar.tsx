/** A progress bar: one piece per step (or file), as wide as its share. A step that computes without a measure is hatched. */
import type { CSSProperties, JSX } from 'react'
import type { TaskRow } from '../../shared/view.ts'
import type { Tone } from '../rows/row-state.ts'

/** The filled part of a piece, 0–1, is a custom property: CSS moves it over one patch interval. */
type PieceStyle = CSSProperties & { '--p': number }

export interface BarProps {
  readonly name?: string
  /** 0–100 */
  readonly progress: number
  readonly tone: Tone
  readonly pieces: TaskRow['pieces']
}

/** Pieces up to which a bar shows them one by one. */
const mostPieces = 40

export function Bar({ name, progress, tone, pieces }: BarProps): JSX.Element {
  const whole = [{ share: 1, fraction: progress / 100, isUnknown: false }]
  const shown =
    pieces.length === 0 || pieces.length > mostPieces
      ? whole
      : pieces.map((piece) => ({
          share: piece.share,
          fraction: piece.state === 'COMPLETED' || piece.state === 'SKIPPED' ? 1 : piece.fraction,
          isUnknown: piece.state === 'RUNNING' && piece.fraction === 0 && isComputing(piece.kind),
        }))
  const meaning =
    name === undefined
      ? { 'aria-hidden': true }
      : {
          role: 'progressbar',
          'aria-label': name,
          'aria-valuemin': 0,
          'aria-valuemax': 100,
          'aria-valuenow': Math.floor(progress),
        }
  return (
    <span className={`bar ${tone}`} {...meaning}>
      {shown.map((piece, index) => {
        const style: PieceStyle = { flexGrow: piece.share * 100, '--p': piece.fraction }
        // pieces keep their order as long as the plan does
        return <i key={index} className={piece.isUnknown ? 'unknown' : undefined} style={style} />
      })}
    </span>
  )
}

function isComputing(kind: TaskRow['pieces'][number]['kind']): boolean {
  return kind === 'mux' || kind === 'convert'
}
