/** The id of a row's element, which the list names as the active one. */
export const rowElementId = (id: string): string => `task-${id}`
