/**
 * The database's migrations, in order; the position is the version that `user_version` keeps. A landed migration
 * never changes: what comes later is a further entry.
 *
 * Whole objects are kept as JSON (`body`), validated by their schema on the way out; columns beside it are what
 * lists filter and sort by, and what SQL has to compare (state under a token).
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    live INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    attempt_token INTEGER,
    queue_group INTEGER NOT NULL,
    queue_key REAL NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    title_key TEXT NOT NULL,
    size INTEGER NOT NULL,
    progress REAL NOT NULL,
    search TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX tasks_live ON tasks (live) WHERE live = 1;
  CREATE INDEX tasks_by_state ON tasks (hidden, state);
  CREATE INDEX tasks_by_queue ON tasks (hidden, queue_group, queue_key, id, state);
  CREATE INDEX tasks_by_created ON tasks (hidden, created_at, id, state);
  CREATE INDEX tasks_by_finished ON tasks (hidden, finished_at, id, state);
  CREATE INDEX tasks_by_title ON tasks (hidden, title_key, id, state);
  CREATE INDEX tasks_by_size ON tasks (hidden, size, id, state);
  CREATE INDEX tasks_by_progress ON tasks (hidden, progress, id, state);
  CREATE INDEX tasks_by_search ON tasks (hidden, search, id, state);

  CREATE TABLE steps (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (task_id, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    ended_at INTEGER,
    service TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_by_end ON jobs (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE INDEX jobs_by_task ON jobs (task_id);

  CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    token INTEGER NOT NULL UNIQUE,
    ended INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX attempts_by_task ON attempts (task_id, token);
  CREATE INDEX attempts_open ON attempts (token) WHERE ended = 0;

  CREATE TABLE claims (
    task_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    folded_path TEXT NOT NULL
  ) STRICT;
  CREATE INDEX claims_by_path ON claims (folded_path);
  CREATE INDEX claims_by_task ON claims (task_id);

  CREATE TABLE settings (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO counters VALUES ('token', 0);

  CREATE TABLE quarantine (
    source TEXT NOT NULL,
    key TEXT NOT NULL,
    reason TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  `,
]
