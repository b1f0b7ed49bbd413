import { resolve } from 'node:path'
import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { origin, urlLike, wholeNumber } from '../platform/setting-values.ts'

export const uploadSettings = settingGroup(
  {
    UPLOAD_RELAY_URL: setting(origin, {
      unset: 'the base URL',
      help: 'origin to which clients send the parts of a ZIP',
    }),
    PDQ_LIST: setting(z.string(), {
      unset: 'none',
      help: 'file with PDQ hashes of known pictures, one per line. It is read again when it changes',
    }),
    CLAMAV_URL: setting(
      z
        .string()
        .regex(/^tcp:\/\/(\[[0-9a-f:]+\]|[^/:@?#]+):\d{1,5}\/?$/i, 'must look like tcp://host:port')
        .refine((text) => URL.canParse(text), 'must look like tcp://host:port'),
      { unset: 'none', help: 'clamd, as `tcp://host:port`' },
    ),
    SCANNER_URL: setting(urlLike('http://127.0.0.1:8080/scan'), {
      unset: 'none',
      help: 'scanner that receives the bytes by POST and returns `{"verdict":"clean"}` or `{"verdict":"match","reason":"…"}`',
    }),
    ACCEPT_LOST_OBJECTS: setting(wholeNumber('must be a number of objects', { min: 0, max: 999_999_999 }), {
      unset: 'none',
      help: 'how many missing objects may be declared lost in one run, after an operator has looked into the loss. Also accepts an empty object store as ours',
    }),
  },
  (values) => ({
    uploadRelayUrl: values.UPLOAD_RELAY_URL,
    pictureListPath: values.PDQ_LIST && resolve(values.PDQ_LIST),
    clamavUrl: values.CLAMAV_URL,
    scannerUrl: values.SCANNER_URL,
    acceptedLosses: values.ACCEPT_LOST_OBJECTS,
  }),
)

export type UploadConfig = ConfigOf<typeof uploadSettings>
