import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import { bucketForm, type ObjectStoreSettings, objectStoreUrl } from '../files/settings.ts'
import { type ConfigOf, setting, settingGroup } from '../setting.ts'
import { list, wholeNumber } from '../setting-values.ts'

/** Where backups are collected: in a folder, or in a bucket. */
export type BackupPlaceSettings =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: ObjectStoreSettings }

const backupUrl = z.string().transform((text, context): BackupPlaceSettings => {
  if (isAbsolute(text)) return { kind: 'folder', folder: resolve(text) }
  const { success, data, error } = objectStoreUrl.safeParse(text)
  if (success) return { kind: 's3', bucket: data }
  const message = /^s3:/i.test(text)
    ? error.issues[0]!.message
    : `must be the absolute path of a folder, or look like ${bucketForm}`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

const hourMs = 3_600_000
const interval = z
  .string()
  .regex(/^[1-9]\d{0,2}[hd]$/, 'must be hours or days, such as 6h, 24h or 7d')
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 24 * hourMs : hourMs))

export const backupSettings = settingGroup(
  {
    BACKUP_URL: setting(backupUrl, {
      unset: 'none',
      help: 'where backups are collected: the absolute path of a folder, or a separate bucket, written like `OBJECT_STORE_URL`. A bucket needs `BACKUP_RECIPIENTS`',
    }),
    BACKUP_EVERY: setting(interval, {
      unset: 'none: only `pennypost backup`',
      help: 'how often the service makes a backup automatically, such as `6h`, `24h` or `7d`. Needs `BACKUP_URL`',
    }),
    BACKUP_KEEP: setting(wholeNumber('must be a number from 1 to 1000', { min: 1, max: 1000 }), {
      default: '7',
      help: 'how many whole backups are kept in `BACKUP_URL`. Older ones are removed after a new one is whole',
    }),
    BACKUP_RECIPIENTS: setting(list(z.string().regex(/^age1[a-z0-9]{58,4000}$/, 'must be public keys like age1…')), {
      unset: 'none: not encrypted',
      help: 'public keys of age (`age-keygen` prints one). Backups are encrypted to them, and only the owner of a private key can read them',
    }),
  },
  (values) => {
    const { BACKUP_URL: place, BACKUP_EVERY: everyMs, BACKUP_RECIPIENTS: recipients = [] } = values
    if (everyMs !== undefined && !place) throw new StartError('BACKUP_EVERY: needs BACKUP_URL')
    // A backup has the keys to money in transit.
    if (place?.kind === 's3' && recipients.length === 0)
      throw new StartError('BACKUP_RECIPIENTS: is required with a bucket, because backups contain secrets')
    return { backup: { place, everyMs, keep: values.BACKUP_KEEP, recipients } }
  },
)

export type BackupConfig = ConfigOf<typeof backupSettings>
