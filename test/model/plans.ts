/** Plans that a resolver might bring: a plain file, a pair to be muxed, a list of several, optional subtitles. */
import type { Plan, PlannedFile, PlannedStep } from '../../src/shared/task/model.ts'
import type { ResourceFacts } from '../../src/shared/task/resource.ts'

export const trackBytes = 1000

/** Hosts whose name ends in "strong" vouch for what they send, those in "whole" give no part of it. */
function factsOf(url: string): ResourceFacts {
  const strong = url.includes('strong')
  return {
    finalUrl: url,
    length: trackBytes,
    validator: strong ? { kind: 'etag', value: `"${url.length}"` } : null,
    acceptsRanges: !url.includes('whole'),
    contentType: null,
    checksum: null,
  }
}

function fetchStep(kind: PlannedStep['kind'], stage: number, url: string, optional = false): PlannedStep {
  return {
    kind,
    stage,
    optional,
    label: kind,
    weight: 1,
    size: trackBytes,
    input: { kind: 'fetch', source: { url, headers: [], facts: factsOf(url) }, checksum: null },
  }
}

function muxStep(inputs: number[]): PlannedStep {
  return {
    kind: 'mux',
    stage: 1,
    optional: false,
    label: '',
    weight: 1,
    size: null,
    input: { kind: 'mux', inputs, container: 'mp4' },
  }
}

function file(name: string, steps: PlannedStep[], selected = true): PlannedFile {
  return { name, size: trackBytes, selected, steps }
}

export type Shape = 'plain' | 'pair' | 'subtitled' | 'list'

export function planOf(shape: Shape, base: string): Plan {
  const of = (files: PlannedFile[]): Plan => ({ title: `${shape} of ${base}`, service: 'host.test', files })
  switch (shape) {
    case 'plain':
      return of([file('file.bin', [fetchStep('download', 0, `${base}/file.bin`)])])
    case 'pair':
      return of([
        file('film.mp4', [
          fetchStep('download-video', 0, `${base}/v`),
          fetchStep('download-audio', 0, `${base}/a`),
          muxStep([0, 1]),
        ]),
      ])
    case 'subtitled':
      return of([
        file('film.mp4', [
          fetchStep('download-video', 0, `${base}/v`),
          fetchStep('download-audio', 0, `${base}/a`),
          fetchStep('download-subtitle', 0, `${base}/s`, true),
          muxStep([0, 1, 2]),
        ]),
      ])
    case 'list':
      return of([
        file('one.bin', [fetchStep('download', 0, `${base}/1`)]),
        file('two.mp4', [
          fetchStep('download-video', 0, `${base}/2v`),
          fetchStep('download-audio', 0, `${base}/2a`),
          muxStep([0, 1]),
        ]),
        file('three.bin', [fetchStep('download', 0, `${base}/3`)], false),
      ])
  }
}

/** The shape is part of the link, so that a task made again resolves alike. */
export function shapeOf(link: string): Shape {
  const shape = /\/(plain|pair|subtitled|list)\b/.exec(link)?.[1]
  return shape === 'pair' || shape === 'subtitled' || shape === 'list' ? shape : 'plain'
}
