/**
 * A resource (RFC 9110) as the transfer engine deals with it: where its bytes come from, what proves that it is still
 * the same one, and which of its bytes are on the disk. Bytes of two versions never meet in one file: what is gone on
 * from carries the validator under which it came, and is compared where none can prove it.
 */
import { deferred, z } from '../validator.ts'

/** An amount of bytes, or a position among them. */
export const bytes = deferred(() => z.number().int().nonnegative())

/** What proves that a resumed resource is still the same (RFC 9110 section 8.8). */
const validatorSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('etag'), value: z.string() }),
    z.object({ kind: z.literal('last-modified'), value: z.string() }),
  ]),
)
export type Validator = z.infer<typeof validatorSchema>

/** What the first response told about a resource. */
export const resourceFactsSchema = deferred(() =>
  z.object({
    finalUrl: z.string(),
    /** bytes; null when the host did not announce it */
    length: bytes.nullable(),
    /** a validator that is strong by RFC 9110, or null */
    validator: validatorSchema.nullable(),
    acceptsRanges: z.boolean(),
    contentType: z.string().nullable(),
    /** `Repr-Digest`, `Digest` or `Content-MD5`, as `algorithm:hex` */
    checksum: z.string().nullable(),
  }),
)
export type ResourceFacts = z.infer<typeof resourceFactsSchema>

/** Request headers as names and values; secrets among them are sealed at rest (`sealed.ts`). */
export const headersSchema = deferred(() => z.array(z.tuple([z.string(), z.string()])))
export type Headers = z.infer<typeof headersSchema>

/** Where the bytes of one track or file come from. */
export const sourceSchema = deferred(() =>
  z.object({
    url: z.string(),
    headers: headersSchema,
    facts: resourceFactsSchema.nullable(),
  }),
)
export type Source = z.infer<typeof sourceSchema>

/**
 * What a paused or lost step needs to go on. A checkpoint names only bytes that were made durable before it
 * was sent (4-engine: fdatasync, then the record).
 */
export const checkpointSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('ranges'),
      /** file in the working folder */
      fileName: z.string(),
      /** length of the whole resource in bytes, null when not announced */
      length: bytes.nullable(),
      validator: validatorSchema.nullable(),
      /** the bytes came from another link: blocks of them are compared before they are gone on from */
      toBeProved: z.literal(true).optional(),
      /** the announced weak or strong identity, compared when no strong validator is there */
      finalUrl: z.string(),
      /** durable byte ranges [start, end), ascending, not touching */
      ranges: z.array(z.tuple([bytes, bytes])),
      /** CRC-32 of the last `length` (≤ 1 MiB) bytes before each durable front `end` */
      fronts: z.array(z.object({ end: bytes, length: bytes, crc32: z.number().int() })),
    }),
    z.object({
      kind: z.literal('segments'),
      fileName: z.string(),
      /** index of the next segment to append */
      next: z.number().int().nonnegative(),
      /** durable length of the track file in bytes */
      durableLength: bytes,
      manifestHash: z.string(),
    }),
  ]),
)
export type Checkpoint = z.infer<typeof checkpointSchema>
