import { lists } from './export-lists.ts'
import type { ExportRequest } from './exported-file.ts'

const others: readonly { readonly path: string; readonly about: string }[] = [
  {
    path: 'account/account.json',
    about: 'your profile, email address, wallets, receiving addresses and notification settings.',
  },
  { path: 'account/avatar.*, account/header.*', about: 'the images of your profile.' },
  {
    path: 'posts/…/post.md',
    about: 'a post or a draft: what is known about it at the beginning, then the free part as you wrote it.',
  },
  { path: 'posts/…/paid.md', about: 'its paid part, as you wrote it.' },
  { path: 'posts/…/versions/', about: 'its earlier versions, as far as they are kept.' },
  {
    path: 'posts/…/cover.*, images/, attachments/',
    about: 'its files. Images are as the site shows them; attachments are byte for byte what you uploaded.',
  },
  {
    path: 'library/',
    about:
      'the text of each post you bought, with its receipt. Its images and attachments are at the address in the file.',
  },
  {
    path: 'manifest.json',
    about:
      'every file of this archive with its length and SHA-256. With it, the archive can be imported into another Pennypost.',
  },
  {
    path: 'ghost.json',
    about:
      'your posts in the format of Ghost. Paid parts come after its mark for members. Images stay at their addresses here, so download them before you leave.',
  },
  { path: 'people/subscribers.csv', about: 'who gets your new posts by email.' },
  { path: 'money/transactions.csv', about: 'your sales, tips and purchases, with commissions.' },
]

/** Describes each file in plain English. */
export function readme(siteName: string, { origin, startedAt }: ExportRequest): string {
  const files = [...others, ...lists.map(({ path, about }) => ({ path, about }))]
  const lines = files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return `${siteName}: your data

This archive has everything that your account at ${origin} has there.
It was made at ${startedAt.toISOString()} (UTC).

${lines.map(({ path, about }) => `${path}\n    ${about}\n`).join('\n')}
MISSING.txt, if it is there, names files that could not be read.

Amounts called "atomic" or "raw" are in the smallest unit of their currency.
Lists are in the order of their time. The archive is made while it is sent: what changed
meanwhile may be in one file and not in another.

Not here: secrets (tokens, codes, the secrets of publishing keys, gift links, the address of
your private feed), which are stored as hashes or not at all; files that were rejected or are
held for review; what administrators of the site recorded; and what belongs to other people.
`
}
