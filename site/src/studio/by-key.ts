import type { WrittenByKey } from '@pennypost/contract/posts'

/** The note that a publishing key wrote something. Empty if the author did, in a browser. */
export function byKey(key: WrittenByKey | null): string {
  if (key === null) return ''
  return `, by key ${key.label ?? `…${key.keyId.slice(-4)}`}${key.status === 'active' ? '' : `, ${key.status}`}`
}
