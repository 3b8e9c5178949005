/**
 * The cases that have to be proved: faults that broke other downloaders (C…, of the areas names, http, crashes and
 * security), bad inputs (B…) and faults of the world (F…). Each is in the title of a test, unless it is said here where
 * else it is proved, or why it is not run.
 */

const numbered = (letter: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${letter}${String(index + 1).padStart(2, '0')}`)

const reported = [
  ...['C002', 'C003', 'C004', 'C006', 'C007', 'C008', 'C010', 'C011', 'C012', 'C014', 'C015', 'C016', 'C017'],
  ...['C019', 'C020', 'C021', 'C022', 'C026', 'C027', 'C028', 'C030', 'C031', 'C032', 'C033', 'C034', 'C035'],
  ...['C036', 'C037', 'C038', 'C039', 'C040', 'C041', 'C042', 'C043', 'C046', 'C047', 'C048', 'C049', 'C050'],
  ...['C051', 'C052', 'C054', 'C055', 'C057', 'C059', 'C060', 'C061', 'C063', 'C064', 'C065', 'C066', 'C067'],
  ...['C069', 'C070', 'C071', 'C128', 'C129', 'C130', 'C131', 'C132', 'C133'],
]

export const cases: readonly string[] = [...reported, ...numbered('B', 33), ...numbered('F', 29)]

/** Cases that a test proves without naming them: its file and (a part of) its title. */
export const provedBy: Readonly<Record<string, readonly [file: string, title: string]>> = {
  C019: ['test/core/names.test.ts', 'two tasks never get one, whatever case or composition it is written in'],
  C059: ['test/contracts/damaged-store.test.ts', 'damage in the middle of %s costs the records in it'],
  C060: ['test/contracts/damaged-store.test.ts', 'is set aside and told once; the others load'],
  C071: ['test/contracts/data-folder.test.ts', 'of many that start at once exactly one gets it'],
  C128: ['test/server/gates.test.ts', 'hostile requests'],
  C132: ['test/contracts/file-system.test.ts', 'deletes a file only while it is the one described'],
}

/** Cases that no test runs, and why. */
export const notRun: Readonly<Record<string, string>> = {
  F25: 'a fault of playlists, which are not fetched yet; test/processes/whole-host.test.ts has its like for tracks',
  F26: 'a fault of live playlists, which are not fetched yet',
}
