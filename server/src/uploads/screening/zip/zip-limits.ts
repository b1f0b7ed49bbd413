/** Limits of a ZIP. `expansion` is the largest ratio of inflated to compressed size. */
export const zipLimits = {
  archiveBytes: 10_485_760,
  files: 128,
  memberBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  expansion: 100,
  /** Directories don't count as files, and a small archive can have a hundred thousand of them. */
  directories: 1024,
} as const
