import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../setting.ts'

export interface ObjectStoreSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const isBucket = (name: string | undefined): name is string => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name ?? '')

export const objectStoreUrl = z.string().transform((text, context): ObjectStoreSettings => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bucket = url?.pathname.slice(1)
  const options = Object.fromEntries(url?.searchParams ?? [])
  const isKnown = Object.keys(options).every((name) => name === 'region' || name === 'tls')
  if (url?.protocol !== 's3:' || !url.hostname || !url.username || !url.password || !isKnown || !isBucket(bucket)) {
    context.addIssue({ code: 'custom', message: 'must look like s3://key:secret@host:port/bucket?region=…&tls=0' })
    return z.NEVER
  }
  return {
    endpoint: `${options.tls === '0' ? 'http' : 'https'}://${url.host}`,
    region: options.region ?? 'us-east-1',
    bucket,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  }
})

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
