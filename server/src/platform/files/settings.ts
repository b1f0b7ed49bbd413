import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../setting.ts'

export interface ObjectStoreSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const isBucket = (name: string): boolean => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)

/** The form of the URL of a bucket. The region and `tls` may be left out. */
export const bucketForm = 's3://key:secret@host:port/bucket?region=…&tls=0'

export const objectStoreUrl = z.string().transform((text, context): ObjectStoreSettings => {
  const read = readBucket(text)
  if (typeof read !== 'string') return read
  context.addIssue({ code: 'custom', message: `must look like ${bucketForm}: ${read}` })
  return z.NEVER
})

/** Returns what is wrong with it, without any part of it: each may be the secret in the wrong place. */
function readBucket(text: string): ObjectStoreSettings | string {
  if (!/^s3:\/\//i.test(text)) return 'it does not begin with s3://'
  if (!URL.canParse(text))
    return 'the part between s3:// and the bucket cannot be read. In the secret, write / as %2F, @ as %40, # as %23 and ? as %3F'
  const url = new URL(text)
  const [accessKeyId, secretAccessKey] = [decoded(url.username), decoded(url.password)]
  if (accessKeyId === undefined || secretAccessKey === undefined) return 'in the key and the secret, write % as %25'
  if (accessKeyId === '') return 'the key is missing'
  if (secretAccessKey === '') return 'the secret is missing'
  if (url.hostname === '') return 'the host is missing'
  const bucket = url.pathname.slice(1)
  if (bucket === '') return 'the bucket is missing'
  if (!isBucket(bucket)) return 'the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens'
  const options = Object.fromEntries(url.searchParams)
  if (Object.keys(options).some((name) => name !== 'region' && name !== 'tls'))
    return 'after the ?, only region and tls are known'
  // Anything else would mean TLS, also `tls=false`.
  if (options.tls !== undefined && options.tls !== '0' && options.tls !== '1') return 'tls must be 0 or 1, or left out'
  if (options.region === '') return 'the region is empty'
  return {
    endpoint: `${options.tls === '0' ? 'http' : 'https'}://${url.host}`,
    region: options.region ?? 'us-east-1',
    bucket,
    accessKeyId,
    secretAccessKey,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const fileSettings = settingGroup(
  {
    OBJECT_STORE_URL: setting(objectStoreUrl, {
      unset: 'files in `DATA_DIR`',
      help: 'S3 storage: `s3://key:secret@host:port/bucket?region=…&tls=0`',
    }),
  },
  (values) => ({ objectStore: values.OBJECT_STORE_URL }),
)

export type FileConfig = ConfigOf<typeof fileSettings>
