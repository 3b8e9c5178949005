import { expect, test } from 'vitest'
import { canRunCode } from './executable-files.ts'

test.each(['setup.exe', 'Setup.EXE', 'run.sh', 'x.msi', 'tool.AppImage', 'a.pdf.js'])(
  'C133 %s can run code',
  (name) => {
    expect(canRunCode(`/downloads/${name}`, 0o644, 'linux')).toBe(true)
  },
)

test.each([
  ...['a.desktop', 'b.lnk', 'c.url', 'd.scf', 'autorun.inf', 'Desktop.ini', 'e.library-ms', 'f.search-ms'],
  ...['g.searchConnector-ms', 'h.appref-ms', 'i.diagcab', 'j.vhdx', 'k.themepack'],
])('B12 C133 %s leads to code or to another place', (name) => {
  expect(canRunCode(`/downloads/${name}`, 0o644, 'linux')).toBe(true)
  expect(canRunCode(`/downloads/${name}`, 0o644, 'win32')).toBe(true)
})

test.each([
  'film.mp4',
  'talk.webm',
  'paper.pdf',
  'photo.jpg',
  'archive.tar.gz',
  'no-extension',
  'x.part',
  'a.ini',
])('%s is data', (name) => {
  expect(canRunCode(`/downloads/${name}`, 0o644, 'linux')).toBe(false)
})

test('execute bits make anything a program, except where they mean nothing', () => {
  expect(canRunCode('/downloads/film.mp4', 0o755, 'linux')).toBe(true)
  expect(canRunCode('C:\\downloads\\film.mp4', 0o777, 'win32')).toBe(false)
})
