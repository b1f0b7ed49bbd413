import type { z } from 'zod'

/** An expected "no": a code, a status and one sentence. The endpoint's error family decides how it is rendered. */
export interface Refusal<Details extends z.ZodRawShape = z.ZodRawShape, Status extends number = number> {
  /** kebab-case; the H3 family spells it in snake_case. */
  readonly code: string
  readonly status: Status
  readonly title: string
  /** Extra fields in the body, such as `currentRevision`. */
  readonly details: Details
}

/**
 * Declares a refusal.
 * @example export const postNotFound = refusal('post-not-found', 404, 'You have no post with this id.')
 */
export function refusal<Status extends number>(
  code: string,
  status: Status,
  title: string,
): Refusal<Record<never, never>, Status>
export function refusal<Details extends z.ZodRawShape, Status extends number>(
  code: string,
  status: Status,
  title: string,
  details: Details,
): Refusal<Details, Status>
export function refusal(code: string, status: number, title: string, details: z.ZodRawShape = {}): Refusal {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(code)) throw new Error(`refusal code "${code}" is not kebab-case`)
  if (status < 400 || status > 599) throw new Error(`refusal "${code}" has status ${status}`)
  return { code, status, title, details }
}

/** The spelling of a code in the H3 family. */
export const snakeCase = (code: string): string => code.replaceAll('-', '_')
