/**
 * What the user grants one task beyond what any link may do: cookies to send, certificates to take, a step down to
 * unprotected http. Never a default, never global, and its cookies are secrets (`mask-secrets.ts`).
 */
import { deferred, z } from '../validator.ts'

/** Most cookies of one task; a whole browser profile has fewer for the sites of one download. */
export const maxCookies = 3000

/** A cookie that the user gave (RFC 6265): sent only where its domain, path and security match. */
export const cookieSchema = deferred(() =>
  z.strictObject({
    /** host in lower case, without a leading dot */
    domain: z.string().min(1).max(255),
    /** hosts below `domain` get it too */
    includesSubdomains: z.boolean(),
    /** begins with `/` */
    path: z.string().max(2048),
    /** over https only */
    secure: z.boolean(),
    name: z.string().max(1024),
    /** longer than a cookie can be: sealed values are, too */
    value: z.string().max(16_384),
    /** ms since 1970 from which it is not sent any more; null: good as long as the task */
    expiresAt: z.number().int().nullable(),
  }),
)
export type Cookie = z.infer<typeof cookieSchema>

export const accessSchema = deferred(() =>
  z.strictObject({
    cookies: z.array(cookieSchema).max(maxCookies).optional(),
    /** hosts (names or addresses, lower case) whose certificates are taken as they are */
    uncheckedHosts: z.array(z.string().min(1).max(255)).max(64).optional(),
    /** a redirect from https to http is followed */
    mayLeaveHttps: z.boolean().optional(),
  }),
)
export type Access = z.infer<typeof accessSchema>
