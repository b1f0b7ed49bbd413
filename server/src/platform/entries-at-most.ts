/**
 * Options of an LRUCache with at most this many entries. With the option `max` it would reserve memory for all of them when
 * it is created.
 */
export const entriesAtMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
