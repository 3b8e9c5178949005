/** Secrets come from the host as dots; a text that holds them cannot be used, only shown. */
export const isMasked = (text: string): boolean => text.includes('•••') || /%E2%80%A2/i.test(text)
