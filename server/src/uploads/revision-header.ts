import { invalidRequest } from '@pennypost/contract/errors'
import { Revision } from '@pennypost/contract/post-fields'
import { refuse } from '../platform/http/refuse.ts'
import { parseRevision } from './revision.ts'

interface RevisionHeaders {
  readonly 'x-post-revision'?: string | undefined
  readonly 'if-match'?: string | undefined
}

/** Reads the revision from `X-Post-Revision`, or from `If-Match` as older clients send it. The two must agree. */
export function readRevisionHeader(headers: RevisionHeaders): string | undefined {
  const named = read('x-post-revision', headers['x-post-revision'])
  const matched = read('if-match', headers['if-match']?.replace(/^"(.*)"$/, '$1'))
  if (named !== undefined && matched !== undefined && parseRevision(named) !== parseRevision(matched))
    refuseHeader('if-match', 'conflict', 'disagrees with X-Post-Revision')
  return named ?? matched
}

function read(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const parsed = Revision.safeParse(text)
  return parsed.success ? parsed.data : refuseHeader(field, 'invalid_format', "must be the post's updatedAt")
}

const refuseHeader = (field: string, code: string, message: string): never =>
  refuse(invalidRequest, { errors: [{ field, code, message }] })
