/**
 * The database's migrations, in order; the position is the version that `user_version` keeps. A landed migration
 * never changes: what comes later is a further entry, also when an object of the model gains a field.
 *
 * Whole objects are kept as JSON (`body`), validated by their schema on the way out. `tasks` holds only what lists
 * filter and sort by and what SQL has to compare; its rows are narrow, and every sort has an index that carries the
 * state (as its group of the queue), so that a window on a hundred thousand tasks reads one index and the rows it
 * shows. What a search looks through is in memory (search-texts.ts).
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    live INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    attempt_token INTEGER,
    queue_group INTEGER NOT NULL,
    queue_key REAL NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    size INTEGER NOT NULL,
    progress REAL NOT NULL,
    search TEXT NOT NULL
  ) STRICT;
  CREATE INDEX tasks_live ON tasks (seq) WHERE live = 1;
  CREATE INDEX tasks_by_state ON tasks (state) WHERE hidden = 0;
  CREATE INDEX tasks_by_queue ON tasks (queue_group, queue_key, seq, state, search) WHERE hidden = 0;
  CREATE INDEX tasks_by_created ON tasks (created_at, seq, state, search) WHERE hidden = 0;
  CREATE INDEX tasks_by_finished ON tasks (finished_at, seq, state, search) WHERE hidden = 0;
  CREATE INDEX tasks_by_title ON tasks (search, seq, state) WHERE hidden = 0;
  CREATE INDEX tasks_by_size ON tasks (size, seq, state, search) WHERE hidden = 0;
  CREATE INDEX tasks_by_progress ON tasks (progress, seq, state, search) WHERE hidden = 0;

  -- counting a hundred thousand entries for every window would cost more than the window
  CREATE TABLE state_counts (state TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tasks_counted AFTER INSERT ON tasks WHEN NEW.hidden = 0 BEGIN
    INSERT INTO state_counts VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET number = number + 1;
  END;
  CREATE TRIGGER tasks_uncounted AFTER DELETE ON tasks WHEN OLD.hidden = 0 BEGIN
    UPDATE state_counts SET number = number - 1 WHERE state = OLD.state;
  END;
  CREATE TRIGGER tasks_recounted AFTER UPDATE OF state, hidden ON tasks BEGIN
    UPDATE state_counts SET number = number - 1 WHERE state = OLD.state AND OLD.hidden = 0;
    INSERT INTO state_counts SELECT NEW.state, 1 WHERE NEW.hidden = 0
      ON CONFLICT DO UPDATE SET number = number + 1;
  END;

  CREATE TABLE task_bodies (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE files (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (task_id, id)
  ) STRICT, WITHOUT ROWID;
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
  CREATE INDEX jobs_by_service ON jobs (service, ended_at, id) WHERE ended_at IS NOT NULL;
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
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta VALUES ('token', 0), ('ended-cleanly', 1);

  CREATE TABLE quarantine (
    source TEXT NOT NULL,
    key TEXT NOT NULL,
    reason TEXT NOT NULL,
    body TEXT NOT NULL,
    told INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  `,
  // two tasks with one source fetch the same; what hosts bear can be learnt again, so a recovery leaves it
  `
  ALTER TABLE tasks ADD COLUMN source TEXT NOT NULL DEFAULT '';
  UPDATE tasks SET source = coalesce(
    (SELECT json_extract(body, '$.parameters.link') || char(10) || json_extract(body, '$.parameters.folder')
     FROM task_bodies WHERE task_id = tasks.id AND json_valid(body)),
    '');
  CREATE INDEX tasks_by_source ON tasks (source) WHERE hidden = 0;

  CREATE TABLE host_limits (
    host TEXT PRIMARY KEY,
    connections INTEGER NOT NULL,
    learnt_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // searches read the texts in memory: six copies of each made every index three times as long. A state is a group of
  // the queue, so the index of the queue finds the tasks of a state too
  `
  DROP INDEX tasks_by_state;
  DROP INDEX tasks_by_queue;
  DROP INDEX tasks_by_created;
  DROP INDEX tasks_by_finished;
  DROP INDEX tasks_by_title;
  DROP INDEX tasks_by_size;
  DROP INDEX tasks_by_progress;
  CREATE INDEX tasks_by_queue ON tasks (queue_group, queue_key, seq) WHERE hidden = 0;
  CREATE INDEX tasks_by_created ON tasks (created_at, seq, queue_group) WHERE hidden = 0;
  CREATE INDEX tasks_by_finished ON tasks (finished_at, seq, queue_group) WHERE hidden = 0;
  CREATE INDEX tasks_by_title ON tasks (search, seq, queue_group) WHERE hidden = 0;
  CREATE INDEX tasks_by_size ON tasks (size, seq, queue_group) WHERE hidden = 0;
  CREATE INDEX tasks_by_progress ON tasks (progress, seq, queue_group) WHERE hidden = 0;
  `,
]
