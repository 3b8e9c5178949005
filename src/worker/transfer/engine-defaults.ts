/** The name on every request; nothing in it tells what else runs here. */
export const userAgent = 'Mozilla/5.0 (compatible; Sluice/0.1)'
