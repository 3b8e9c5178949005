/**
 * The texts that a search looks through, in memory. Every search needs its exact total, and SQLite takes three times
 * as long to step through a hundred thousand texts as JavaScript does; an index of trigrams serves neither one letter
 * nor terms that are in every row, and each write would pay for it.
 *
 * Read at the first search, so that who never searches pays nothing. From then on a trigger notes the rows that
 * change, whoever writes them, and the next search reads those again: what is here is never written, only read.
 */
import type { Connection } from './connection.ts'

interface SearchRow {
  seq: number
  queueGroup: number
  search: string
}

const rowsOfTheList = 'SELECT seq, queue_group AS queueGroup, search FROM tasks'

export class SearchTexts {
  readonly #all
  readonly #some
  /** by `seq`; null: to be read when it is needed */
  #rows: Map<number, SearchRow> | null = null
  readonly #changed = new Set<number>()

  constructor(db: Connection) {
    db.function('note_searched_row', (seq) => {
      this.#note(Number(seq))
    })
    // of this connection alone: nothing of them is in the file
    db.exec(`
      CREATE TEMP TRIGGER searched_row_added AFTER INSERT ON main.tasks BEGIN
        SELECT note_searched_row(NEW.seq);
      END;
      CREATE TEMP TRIGGER searched_row_removed AFTER DELETE ON main.tasks BEGIN
        SELECT note_searched_row(OLD.seq);
      END;
      CREATE TEMP TRIGGER searched_row_changed AFTER UPDATE OF queue_group, hidden, search ON main.tasks BEGIN
        SELECT note_searched_row(NEW.seq);
      END;
    `)
    this.#all = db.prepare<[], SearchRow>(`${rowsOfTheList} INDEXED BY tasks_by_title WHERE hidden = 0`)
    this.#some = db.prepare<[string], SearchRow>(
      `${rowsOfTheList} WHERE hidden = 0 AND seq IN (SELECT value FROM json_each(?))`,
    )
  }

  /** What was read may never have been: to be called when a transaction was rolled back. */
  forget(): void {
    this.#rows = null
    this.#changed.clear()
  }

  /** `seq` of the rows that contain a text, folded as theirs are, in one queue group or (null) in any; in no order. */
  matching(text: string, queueGroup: number | null): number[] {
    const seqs: number[] = []
    for (const row of this.#current().values()) {
      if (queueGroup !== null && row.queueGroup !== queueGroup) continue
      if (row.search.includes(text)) seqs.push(row.seq)
    }
    return seqs
  }

  #note(seq: number): void {
    if (this.#rows === null) return
    this.#changed.add(seq)
    // then it takes no longer to read everything
    if (this.#changed.size > this.#rows.size / 2) this.forget()
  }

  #current(): ReadonlyMap<number, SearchRow> {
    const rows = this.#rows ?? new Map<number, SearchRow>()
    if (this.#rows === null) {
      for (const row of this.#all.all()) rows.set(row.seq, row)
    } else if (this.#changed.size > 0) {
      this.#readChanged(rows)
    }
    this.#rows = rows
    return rows
  }

  #readChanged(rows: Map<number, SearchRow>): void {
    for (const row of this.#some.all(JSON.stringify([...this.#changed]))) {
      rows.set(row.seq, row)
      this.#changed.delete(row.seq)
    }
    // what is left was removed or is hidden
    for (const seq of this.#changed) rows.delete(seq)
    this.#changed.clear()
  }
}
