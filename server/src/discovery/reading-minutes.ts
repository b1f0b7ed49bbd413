const wordsPerMinute = 230

/** The estimated time to read a post of this many words; null if they are not counted yet. */
export const readingMinutes = (words: number | null): number | null =>
  words === null ? null : Math.max(1, Math.round(words / wordsPerMinute))
