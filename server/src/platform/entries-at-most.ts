/** Options of an LRUCache for so many entries. With its own `max` it would reserve the memory for all of them when it is created. */
export const entriesAtMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
