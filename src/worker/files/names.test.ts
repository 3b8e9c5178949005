import { win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maxNameBytes, nameFor, numberedName, safeFileName } from './names.ts'

/** Name from a header given as text; its UTF-8 bytes are what travels. */
const fromHeader = (field: string, url = 'http://h.example/download/1318/') =>
  nameFor({ contentDisposition: Buffer.from(field, 'utf8').toString('latin1'), url, contentType: null })
const fromUrl = (url: string, contentType: string | null = null) =>
  nameFor({ contentDisposition: null, url, contentType })

describe('the name in Content-Disposition', () => {
  it.each([
    ['C002 raw UTF-8 is read as UTF-8', 'attachment; filename="♥それ.txt"', '♥それ.txt'],
    [
      'C003 percent-encoding in a plain name counts when it yields more than ASCII',
      'inline; filename="%EC%82%AC%EB%B3%B8_-DSC02499.jpg"',
      '사본_-DSC02499.jpg',
    ],
    ['C003 a percent sign stays one', 'attachment; filename="50%off.txt"', '50%off.txt'],
    ['C003 encoded ASCII stays', 'attachment; filename="100%25 sure.txt"', '100%25 sure.txt'],
    ['C003 invalid sequences stay', 'attachment; filename="%FF%FE.bin"', '%FF%FE.bin'],
    [
      'C004 the star form may come first',
      `attachment; filename*=UTF-8''APNG-2018.10.10.7z; filename="APNG-2018.10.10.7z"`,
      'APNG-2018.10.10.7z',
    ],
    ['C004 the star form wins', `attachment; filename=old.txt; filename*=UTF-8''new.txt`, 'new.txt'],
    [
      'C004 the star form wins in either order',
      `attachment; filename*=UTF-8''new.txt; filename=old.txt`,
      'new.txt',
    ],
    [
      'C006 a semicolon at the end is no harm',
      'attachment; filename="opensmile-2.3.0.tar.gz";',
      'opensmile-2.3.0.tar.gz',
    ],
    ['C006 a missing type is no harm', 'filename=Heze_v1.7z', 'Heze_v1.7z'],
    [
      'C007 unquoted names run to the semicolon',
      'attachment; filename=Map049 - Skill Center (Blython, MW1).rar',
      'Map049 - Skill Center (Blython, MW1).rar',
    ],
    ['C008 inline names count', 'inline; filename=bill.pdf', 'bill.pdf'],
    ['C010 encoded words are decoded', 'attachment; filename="=?UTF-8?B?w6nDqC50eHQ=?="', 'éè.txt'],
    ['C010 in Q form too', 'attachment; filename="=?ISO-8859-1?Q?caf=E9_x.txt?="', 'café x.txt'],
    ['C016 trailing dots and spaces go', 'attachment; filename="report. "', 'report'],
    ['C016 only dots behind', 'attachment; filename="name..."', 'name'],
    ['C016 leading spaces go', 'attachment; filename="  lead.txt"', 'lead.txt'],
    ['C016 dot is no name', 'attachment; filename="."', 'download'],
    ['C016 dot dot is no name', 'attachment; filename=".."', 'download'],
    ['C016 question marks are no name', 'attachment; filename="???"', 'download'],
    ['C016 nothing is no name', 'attachment; filename=""', 'download'],
    ['C016 controls are no name', 'attachment; filename="\u0001\u0002"', 'download'],
    ['C017 overrides go', `attachment; filename*=UTF-8''invoice%E2%80%AEfdp.exe`, 'invoicefdp.exe'],
    ['C017 isolates and marks go', `attachment; filename*=UTF-8''a%E2%81%A6b%E2%80%8Fc.txt`, 'abc.txt'],
    ['C017 Arabic letters stay', 'attachment; filename="تقرير.pdf"', 'تقرير.pdf'],
    ['B01 parent folders are no part of it', 'attachment; filename="../../.bashrc"', 'bashrc'],
    ['B02 backslashes separate too', 'attachment; filename="..\\..\\evil.exe"', 'evil.exe'],
    ['B02 escaped ones as well', 'attachment; filename="..\\\\..\\\\evil.exe"', 'evil.exe'],
    ['B03 a colon is replaced', 'attachment; filename="C:evil"', 'C_evil'],
    ['B03 a stream name is replaced', 'attachment; filename="a:b"', 'a_b'],
    ['B05 dots and spaces behind an extension go', 'attachment; filename="x.exe. ."', 'x.exe'],
    ['B06 the true extension shows', 'attachment; filename="\u202egpj.exe"', 'gpj.exe'],
    ['B07 controls go', 'attachment; filename="a\u001b[31m\u0085b.txt"', 'a[31mb.txt'],
    ['B09 a tilde is no name', 'attachment; filename="~"', 'download'],
    ['B09 a leading dash is none', 'attachment; filename="-rf"', '_-rf'],
    ['B10 names are composed', 'attachment; filename="E\u0301.txt"', 'É.txt'],
    ['B14 encoded separators are decoded once', `attachment; filename*=UTF-8''%2e%2e%2f`, 'download'],
    [
      'B14 twice encoded stays encoded',
      `attachment; filename*=UTF-8''%252e%252e%252fa.txt`,
      '%2e%2e%2fa.txt',
    ],
    [
      'B14 a bad star form gives way to the plain one',
      `attachment; filename*=UTF-8''%E2%28; filename=a.txt`,
      'a.txt',
    ],
    ['B14 an unknown charset gives way too', `attachment; filename*=nonsense''%E2; filename=a.txt`, 'a.txt'],
    ['B12 what Windows obeys is only a file', 'attachment; filename="Desktop.ini"', '_Desktop.ini'],
    ['B12 nor does a drive start it', 'attachment; filename=autorun.inf', '_autorun.inf'],
    [
      'B12 a name like those of our folders is not hidden',
      'attachment; filename=".sluice-task-1"',
      'sluice-task-1',
    ],
    ['B14 the first of two counts', 'attachment; filename=a.txt; filename=b.txt', 'a.txt'],
  ])('%s', (_, field, name) => {
    expect(fromHeader(field)).toBe(name)
  })

  it('C002 true latin1 stays what it is', () => {
    const contentDisposition = 'attachment; filename="caf\u00e9.txt"'
    expect(nameFor({ contentDisposition, url: 'http://h/', contentType: null })).toBe('café.txt')
  })

  it('C007 takes the extension from the type when an unquoted name was cut at its semicolon', () => {
    const source = {
      contentDisposition: 'attachment; filename=a;b.txt',
      url: 'http://h/',
      contentType: 'text/plain',
    }
    expect(nameFor(source)).toBe('a.txt')
  })

  it('B14 survives a header of 64 kB', () => {
    expect(fromHeader(`attachment; filename="${'x'.repeat(65_536)}.txt"`)).toMatch(/^x{10,}/)
    expect(fromHeader('filename='.repeat(8000))).not.toBe('')
  })
})

describe('the name in a link', () => {
  it.each([
    ['C011 an encoded plus is a plus', 'http://h/GitHub%2BMark.png', 'GitHub+Mark.png'],
    ['C011 spaces and hashes are decoded', 'http://h/a%20b%23c.zip', 'a b#c.zip'],
    ['C011 a bad escape stays text', 'http://h/bad%ZZname.txt', 'bad%ZZname.txt'],
    ['C011 a plus in a path stays one', 'http://h/a+b.txt?x=1', 'a+b.txt'],
    ['C012 encoded separators make no folders', 'http://127.0.0.1/a%5Cb%2Fc.ext', 'a_b_c.ext'],
    ['a query is no part of it', 'http://h/x.bin?name=../y#z', 'x.bin'],
    ['a link without a path has the fallback', 'http://h', 'download'],
    ['latin1 escapes are read as latin1', 'http://h/synspr%F8ve.txt', 'synsprøve.txt'],
  ])('%s', (_, url, name) => {
    expect(fromUrl(url)).toBe(name)
  })

  it('C012 stays one part for Windows too', () => {
    expect(win32.basename(fromUrl('http://127.0.0.1/a%5Cb%2Fc.ext'))).toBe('a_b_c.ext')
  })

  it('C010 takes an extension from the type only when there is none', () => {
    expect(fromUrl('http://h/downloader/TOKEN/b64==', 'audio/mpeg')).toBe('b64==.mp3')
    expect(fromUrl('http://h/file.dat', 'application/octet-stream')).toBe('file.dat')
    expect(fromUrl('http://h/file', 'application/octet-stream')).toBe('file')
    expect(fromUrl('http://h/file.tar', 'application/gzip; charset=x')).toBe('file.tar')
  })
})

describe('any text as a name', () => {
  it.each([
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['COM1.pdf', '_COM1.pdf'],
    ['COM1.mp4', '_COM1.mp4'],
    ['COM¹.txt', '_COM¹.txt'],
    ['LPT³', '_LPT³'],
    ['LPT¹', '_LPT¹'],
    ['AUX .txt', '_AUX .txt'],
    ['clock$', '_clock$'],
    ['console.log', 'console.log'],
    ['com10.txt', 'com10.txt'],
  ])('C015 B04 keeps off device names: %s', (text, name) => {
    expect(safeFileName(text)).toBe(name)
  })

  it('C014 takes only a short last part for the extension when it cuts', () => {
    const name = safeFileName(`${'Vol. 3. Часть 2. Конец'.repeat(8)}.mp4`)
    expect(name).toMatch(/^Vol\. 3\..*\.mp4$/)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxNameBytes)
  })

  it('B08 cuts between code points, keeps the extension and drops lone surrogates', () => {
    const name = safeFileName(`${'😀'.repeat(300)}.mp4`)
    expect(name).toMatch(/^(?:😀)+\.mp4$/u)
    expect(Buffer.byteLength(name)).toBe(240)
    expect(safeFileName('a\ud800b\udc00.txt')).toBe('ab.txt')
  })

  it('B13 makes fields safe one by one', () => {
    expect(safeFileName('../../etc/passwd')).toBe('_.._etc_passwd')
    expect(safeFileName(`${safeFileName('..')} - ${safeFileName('a/b')}`)).toBe('download - a_b')
  })

  it('numbers names before their extension, within the limit', () => {
    expect(numberedName('a.tar.gz', 2)).toBe('a (2).tar.gz')
    expect(numberedName('plain', 1)).toBe('plain (1)')
    expect(Buffer.byteLength(numberedName(`${'x'.repeat(236)}.txt`, 12))).toBeLessThanOrEqual(maxNameBytes)
  })
})
