// The ids of posts, accounts and tags are random, so equal ranges of ids contain about equally many. The ranges are
// numbered like a binary tree: 1 is all ids, 2 and 3 are its halves, 4 to 7 its quarters. A number alone determines its
// ids, so a sitemap file keeps its range however many ids there are, and needs no other file.

const allBits = 128n

export interface IdRange {
  readonly first: string
  readonly last: string
}

export function rangeOf(number: number): IdRange {
  const depth = BigInt(31 - Math.clz32(number))
  const width = 1n << (allBits - depth)
  const start = (BigInt(number) - (1n << depth)) * width
  return { first: uuid(start), last: uuid(start + width - 1n) }
}

/** The numbers of enough ranges that each has about `most` ids. */
export function rangesFor(count: number, most: number): number[] {
  const depth = Math.min(12, Math.max(0, Math.ceil(Math.log2(count / most))))
  const parts = 2 ** depth
  return Array.from({ length: parts }, (_, index) => parts + index)
}

/** The id after this one; undefined after the last possible id. */
export function idAfter(id: string): string | undefined {
  const next = BigInt(`0x${id.replaceAll('-', '')}`) + 1n
  return next >> allBits === 0n ? uuid(next) : undefined
}

const uuid = (value: bigint): string =>
  value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
