/** §8 */
export const zipLimits = {
  archiveBytes: 10_485_760,
  files: 128,
  memberBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  expansion: 100,
  /** Our own choice; the document counts files only, and a small archive can name a hundred thousand directories. */
  directories: 1024,
} as const
