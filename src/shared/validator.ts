/**
 * The validator. Every schema takes it from here, so that it is set up before the first one is made. It would turn
 * each schema into code of its own when it first checks something: that costs a process more at its start (a tenth of
 * a short download) than it ever gets back, and the window's content policy forbids it.
 */
import { z } from 'zod'

z.config({ jitless: true })

export { z }
