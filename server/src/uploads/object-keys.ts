import { randomUUID } from 'node:crypto'

// Spreads objects over 256 folders by the first two digits of an id, so that no folder grows too large.
const shard = (id: string): string => id.slice(0, 2)

/** A new key for every attempt, so that two concurrent attempts never overwrite each other's bytes. */
export const receivedKey = (operationId: string): string =>
  `received/${shard(operationId)}/${operationId}-${randomUUID()}`
export const partKey = (operationId: string, number: number): string =>
  `parts/${shard(operationId)}/${operationId}-${number}-${randomUUID()}`

/** Always the same key: if a check dies after writing it, the next check writes the same bytes there again. */
export const mediaKey = (operationId: string): string => `media/${shard(operationId)}/${operationId}`

export const objectPrefixes = ['received/', 'parts/', 'media/'] as const

// Pictures that we draw ourselves. They can be drawn again at any time, so lost ones are not searched for.
export const linkCardKey = (postId: string, version: string): string => `cards/${shard(postId)}/${postId}-${version}`
export const thumbnailKey = (operationId: string): string => `thumbnails/${shard(operationId)}/${operationId}`
