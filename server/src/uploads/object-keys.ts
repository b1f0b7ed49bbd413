import { randomUUID } from 'node:crypto'

// Where bytes are kept. Spread over 256 folders by the operation's first digits, so that none grows too long.
const shard = (operationId: string): string => operationId.slice(0, 2)

/** A name of its own for every attempt: of two at once, neither overwrites what the other one recorded. */
export const receivedKey = (operationId: string): string =>
  `received/${shard(operationId)}/${operationId}-${randomUUID()}`
export const partKey = (operationId: string, number: number): string =>
  `parts/${shard(operationId)}/${operationId}-${number}-${randomUUID()}`

/** Always the same: a check that died after writing it is followed by one that writes the same bytes there. */
export const mediaKey = (operationId: string): string => `media/${shard(operationId)}/${operationId}`

export const objectPrefixes = ['received/', 'parts/', 'media/'] as const
