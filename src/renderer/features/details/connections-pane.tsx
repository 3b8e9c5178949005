/** Where the bytes of a track are: a map of its ranges, and the connections that fetch them. */
import { useState } from 'react'
import type { JSX } from 'react'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { speed } from '../../i18n/format.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Marked } from '../../parts/marked.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { cellStates, mapBox, mapLayout, mapPath } from './range-map.ts'
import type { CellState } from './range-map.ts'

type Step = TaskDetails['steps'][number]

const trackNames: Readonly<Partial<Record<Step['kind'], MessageKey>>> = {
  download: 'connections.file',
  'download-video': 'connections.video',
  'download-audio': 'connections.audio',
  'download-subtitle': 'connections.subtitle',
}

const legend: readonly (readonly [CellState, MessageKey])[] = [
  ['here', 'connections.here'],
  ['arriving', 'connections.arriving'],
  ['held', 'connections.held'],
  ['come', 'connections.come'],
]

function RangeMap({ step }: { step: Step }): JSX.Element | null {
  const words = useWords()
  if (step.size === null || step.size === 0) return null
  const layout = mapLayout(step.size)
  const states = cellStates(step, layout.cells)
  if (states === null) return null
  const { width, height } = mapBox(layout)
  const onDisk = step.durable.reduce((sum, [from, to]) => sum + to - from, 0)
  const name = words.t('connections.map', {
    part: words.format.size(onDisk),
    whole: words.format.size(step.size),
    count: step.ranges.length,
  })
  return (
    <section className="block">
      <div className="head">
        <h3>
          <Marked
            text={words.marked('connections.onDisk', { part: words.format.percent(onDisk / step.size) })}
          />
        </h3>
        <span className="small soft num">
          <Marked
            text={words.marked('figure.of', {
              part: words.format.part(onDisk, step.size),
              whole: words.format.size(step.size),
            })}
          />
        </span>
      </div>
      <svg className="map" viewBox={`0 0 ${String(width)} ${String(height)}`} role="img" aria-label={name}>
        {legend.map(([state]) => (
          <path key={state} className={state} d={mapPath(states, state, layout.columns)} />
        ))}
      </svg>
      <div className="legend" aria-hidden="true">
        {legend.map(([state, label]) => (
          <span key={state}>
            <svg className="map" viewBox="0 0 8 8">
              <path className={state} d={mapPath([state], state, 1)} />
            </svg>
            {words.t(label)}
          </span>
        ))}
      </div>
    </section>
  )
}

function Connections({ step }: { step: Step }): JSX.Element {
  const words = useWords()
  const { ranges } = step
  if (ranges.length === 0) return <p className="small soft">{words.t('connections.none')}</p>
  return (
    <section className="block">
      <div className="head">
        <h3>{words.t('connections.count', { count: ranges.length })}</h3>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.t('connections.number')}</th>
            <th scope="col">{words.t('connections.from')}</th>
            <th scope="col">{words.t('connections.progress')}</th>
            <th scope="col" className="end">
              {words.t('connections.speed')}
            </th>
          </tr>
        </thead>
        <tbody>
          {ranges.map((range, index) => {
            const end = range.end ?? step.size
            const share =
              end === null || end === range.start ? 0 : (range.next - range.start) / (end - range.start)
            return (
              // a connection has no name but where its range begins
              <tr key={range.start}>
                <td className="softer">
                  <bdi>{words.format.number(index + 1)}</bdi>
                </td>
                <td>
                  <bdi>{words.format.size(range.start)}</bdi>
                </td>
                <td>
                  <span className="hidden">{words.format.percent(share)}</span>
                  <Bar progress={share * 100} tone="running" pieces={[]} />
                </td>
                <td className="end">
                  <Marked text={speed(words, range.bytesPerSecond)} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Tracks that can be chosen at the top; more belong to a playlist, of which the running ones matter. */
const mostTracks = 4

export function ConnectionsPane({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  const words = useWords()
  const fetched = details.steps.filter(
    (step) => trackNames[step.kind] !== undefined && step.state !== 'SKIPPED',
  )
  const running = fetched.filter((step) => step.state === 'RUNNING')
  const tracks = (row.fileCount > 1 && running.length > 0 ? running : fetched).slice(0, mostTracks)
  const [chosen, setChosen] = useState<string | null>(null)
  const step = tracks.find((track) => track.id === chosen) ?? running[0] ?? tracks[0]
  if (step === undefined) return <p className="small soft">{words.t('connections.notYet')}</p>
  const label = (track: Step): string => {
    const name = words.t(trackNames[track.kind] ?? 'connections.file')
    if (track.state === 'COMPLETED') return words.t('connections.trackDone', { track: name })
    return words.t('connections.track', { track: name, share: words.format.percent(track.fraction) })
  }
  return (
    <>
      {tracks.length > 1 && (
        <Segmented
          name={words.t('connections.choose')}
          segments={tracks.map((track) => ({ value: track.id, label: label(track) }))}
          value={step.id}
          onChange={setChosen}
        />
      )}
      <RangeMap step={step} />
      <Connections step={step} />
    </>
  )
}
