/**
 * The names of the contract, without their schemas: the preload binds by these and carries no validator.
 * `commands.ts` must have exactly these keys (checked by its type).
 */
export const commandNames = [
  'app.info',
  'tasks.add',
  'tasks.details',
  'tasks.rows',
  'tasks.pause',
  'tasks.restart',
  'tasks.cancel',
  'tasks.delete',
  'tasks.undoDelete',
  'tasks.redownload',
  'tasks.edit',
  'tasks.previewEdit',
  'tasks.select',
  'tasks.review',
  'tasks.retrySkipped',
  'tasks.retryAsNew',
  'tasks.move',
  'tasks.startNow',
  'tasks.clearFinished',
  'list.query',
  'history.list',
  'history.remove',
  'jobs.get',
  'links.lookup',
  'links.cancelLookup',
  'power.get',
  'power.set',
  'settings.get',
  'settings.set',
] as const
export type CommandName = (typeof commandNames)[number]

/** Commands that only make sense where the user's desktop is; a host without them leaves the capability out. */
export const desktopCommandNames = ['desktop.pickFolder', 'desktop.openFile', 'desktop.showInFolder'] as const
export type DesktopCommandName = (typeof desktopCommandNames)[number]

export const eventNames = [
  'tasks.changed',
  'tasks.removed',
  'list.window',
  'settings.changed',
  'notice',
  'power.changed',
  'stats',
  'links.offered',
] as const
export type EventName = (typeof eventNames)[number]
