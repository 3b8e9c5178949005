/** The human page of the API: the OpenAPI document as a table, without a script. */
import { httpStatusOf } from '../../shared/contract/error-envelope.ts'
import { errorCodes } from '../../shared/errors.ts'
import type { RestRoute } from './route.ts'

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;')

/** The page may show its own style and nothing else; the hash of the style is in its policy. */
export const docsStyle = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code { font: 0.9em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #8884; }
`

export function docsPage(routes: readonly RestRoute[], version: string): string {
  const rows = routes.map(({ method, path, summary, answers, errors }) => {
    const statuses = [...Object.keys(answers), ...errors.map(String)].toSorted()
    return `<tr><td><code>${method}&nbsp;${escaped(path)}</code></td><td>${escaped(summary)}</td><td>${statuses.join(', ')}</td></tr>`
  })
  const codes = errorCodes.map(
    (code) => `<tr><td><code>${code}</code></td><td>${httpStatusOf(code)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice API</title>
<style>${docsStyle}</style>
</head>
<body>
<main>
<h1>Sluice API ${escaped(version)}</h1>
<p>Every request but <code>/api/health</code> carries the secret of the host, as <code>X-Secret-Key</code> or as
<code>Authorization: Bearer</code>. Bodies are JSON. The whole description, with all schemas, is
<a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<h2>Routes</h2>
<table><thead><tr><th>Request</th><th>Does</th><th>Answers</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<h2>Errors</h2>
<p>One envelope everywhere: <code>{status: "error", error_code, message, hint, timestamp, details?, retryable}</code>.
Every request may also be answered 400, 401, 405, 413, 415, 421 and 429.</p>
<table><thead><tr><th>Code</th><th>Status</th></tr></thead><tbody>
${codes.join('\n')}
</tbody></table>
</main>
</body>
</html>
`
}
