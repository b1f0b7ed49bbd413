// A separate file, so that pages can name the sizes without loading what draws.

export const linkCardSize = { width: 1200, height: 630 } as const

/** Three pixels for each one that a list shows, for the finest screens. */
export const thumbnailSize = { width: 432, height: 288 } as const
