/** The id of the list element; there is one list in a window. */
export const listElementId = 'tasks'

/** Gives the keyboard to the list. */
export function focusList(): void {
  document.getElementById(listElementId)?.focus()
}
