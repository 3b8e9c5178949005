/** A progress bar: one piece per step (or file), as wide as its share. A step that computes without a measure is hatched. */
import { memo } from 'react'
import type { CSSProperties, JSX } from 'react'
import type { TaskRow } from '../../shared/view.ts'
import type { Tone } from '../rows/row-state.ts'

/** The filled part of a piece, 0–1, is a custom property: CSS scales by it, and glides where that can be seen. */
type PieceStyle = CSSProperties & { '--p': number }

export interface BarProps {
  readonly name?: string
  /** 0–100 */
  readonly progress: number
  readonly tone: Tone
  readonly pieces: TaskRow['pieces']
  /** 0–1 a second, as far as it is known */
  readonly pace?: number
}

/**
 * From here on a bar glides from patch to patch. A slower one moves by a pixel or two, which looks the same in steps:
 * gliding draws sixty frames a second for as long as anything in the list runs.
 */
const glidingPace = 0.02

/** No bar is much longer in pixels. */
const steps = 1000

/** Pieces up to which a bar shows them one by one. */
const mostPieces = 40

export function Bar({ name, progress, tone, pieces, pace = 0 }: BarProps): JSX.Element {
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
    <span className={`bar ${tone}${pace >= glidingPace ? ' glides' : ''}`} {...meaning}>
      {shown.map((piece, index) => (
        // pieces keep their order as long as the plan does
        <Piece key={index} share={piece.share} filled={inSteps(piece.fraction)} isUnknown={piece.isUnknown} />
      ))}
    </span>
  )
}

const Piece = memo(function Piece(props: { share: number; filled: number; isUnknown: boolean }): JSX.Element {
  const style: PieceStyle = { flexGrow: props.share * 100, '--p': props.filled }
  return <i className={props.isUnknown ? 'unknown' : undefined} style={style} />
})

/** Steps too small to be seen would be drawn, and moved over a patch interval, all the same. */
function inSteps(fraction: number): number {
  return Math.round(fraction * steps) / steps
}

function isComputing(kind: TaskRow['pieces'][number]['kind']): boolean {
  return kind === 'mux' || kind === 'convert'
}
