import type { TaskParameters } from './model.ts'

/** Tasks with one key fetch the same into the same folder. As text in the database, so its form never changes. */
export function sourceKey({ link, folder }: Pick<TaskParameters, 'link' | 'folder'>): string {
  return `${JSON.stringify(link)}\n${folder}`
}
