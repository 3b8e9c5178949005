import { expect, test } from 'vitest'
import { canRunCode } from './executable-files.ts'

test.each(['setup.exe', 'Setup.EXE', 'run.sh', 'a.desktop', 'x.msi', 'tool.AppImage', 'a.pdf.js', 'b.lnk'])(
  '%s can run code',
  (name) => {
    expect(canRunCode(`/downloads/${name}`, 0o644, 'linux')).toBe(true)
  },
)

test.each(['film.mp4', 'talk.webm', 'paper.pdf', 'photo.jpg', 'archive.tar.gz', 'no-extension'])(
  '%s is data',
  (name) => {
    expect(canRunCode(`/downloads/${name}`, 0o644, 'linux')).toBe(false)
  },
)

test('execute bits make anything a program, except where they mean nothing', () => {
  expect(canRunCode('/downloads/film.mp4', 0o755, 'linux')).toBe(true)
  expect(canRunCode('C:\\downloads\\film.mp4', 0o777, 'win32')).toBe(false)
})
