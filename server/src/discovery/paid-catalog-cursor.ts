import type { Secrets } from '../platform/secrets.ts'
import { signText, verifySignedText } from '../platform/signed-text.ts'

/** Where a page ended. Publication times and ids never change, so a cursor never becomes invalid. */
export interface Place {
  readonly publishedAt: Date
  readonly postId: string
  /** The `published_after` of the first page, which applies to all pages. */
  readonly publishedAfter: Date | undefined
}

const purpose = 'paid-catalog-cursor'

export const writeCursor = (secrets: Secrets, { publishedAt, postId, publishedAfter }: Place): string =>
  signText(secrets, purpose, `${publishedAt.getTime()} ${postId} ${publishedAfter?.getTime() ?? ''}`)

export function readCursor(secrets: Secrets, cursor: string): Place | undefined {
  const text = verifySignedText(secrets, purpose, cursor)
  if (text === undefined) return undefined
  const [published, postId, after] = text.split(' ')
  return {
    publishedAt: new Date(Number(published)),
    postId: postId!,
    publishedAfter: after ? new Date(Number(after)) : undefined,
  }
}
