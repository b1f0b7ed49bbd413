import type { FieldError } from '@pennypost/contract/errors'
import type { z } from 'zod'

// Enough to fix a request. Without a limit, a small hostile body could cause a large reply.
const maxErrors = 20
const maxFieldLength = 120

/** Describes where a value does not match its schema. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const errors = error.issues.slice(0, maxErrors).flatMap((issue) => {
    const field = issue.path.map(String).join('.').slice(0, maxFieldLength)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, maxErrors).map((key) => ({
        field: (field ? `${field}.${key}` : key).slice(0, maxFieldLength),
        code: 'unknown',
        message: 'is not a field here',
      }))
    }
    return [{ field, code: codeOf(issue), message: messageOf(issue) }]
  })
  return errors.slice(0, maxErrors)
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return typeof issue.params?.code === 'string' ? issue.params.code : 'invalid'
  if (issue.code === 'invalid_type') return isMissing(issue) ? 'required' : 'invalid_type'
  if (issue.code === 'too_small')
    return issue.origin === 'string' || issue.origin === 'array' ? 'too_short' : 'too_small'
  if (issue.code === 'too_big') return issue.origin === 'string' || issue.origin === 'array' ? 'too_long' : 'too_big'
  if (issue.code === 'invalid_format') return 'invalid_format'
  return 'invalid'
}

const isMissing = (issue: z.core.$ZodIssue): boolean => /received undefined$/.test(issue.message)

const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && isMissing(issue) ? 'is required' : issue.message

/**
 * Finds text that PostgreSQL or UTF-8 cannot store: NUL, or half of a surrogate pair. Checked here for every field, so
 * that no schema has to.
 */
export function unstorableText(value: unknown, path = ''): FieldError | undefined {
  const open: [unknown, string][] = [[value, path]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [current, field] = next
    if (typeof current === 'string') {
      if (current.includes('\0') || !isWellFormed(current))
        return { field, code: 'invalid_text', message: 'contains invalid characters' }
    } else if (typeof current === 'object' && current !== null) {
      for (const [key, child] of Object.entries(current)) {
        open.push([child, (field ? `${field}.${key}` : key).slice(0, maxFieldLength)])
        if (key.includes('\0') || !isWellFormed(key))
          return { field, code: 'invalid_text', message: 'contains invalid characters' }
      }
    }
  }
  return undefined
}

// Part of ES2024, which our compiler target does not declare yet.
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()
