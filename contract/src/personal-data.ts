import { z } from 'zod'
import { raw } from './body.ts'
import { Confirmation, confirmationRefusals, confirmations } from './confirmations.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { TransferPending } from './transfer-logins.ts'

/** How many exports an account can start in a day, and how often each can be downloaded. */
export const maxExportsPerDay = 3
export const maxDownloads = 3

export const exportLimit = refusal(
  'export-limit',
  429,
  'You have exported your data three times in the last 24 hours. Try again later.',
)
export const exportRunning = refusal(
  'export-running',
  409,
  'An export of this account is being downloaded. Wait until it has finished, or a minute after it was interrupted.',
)
export const exportNotFound = refusal(
  'export-not-found',
  404,
  'You have no export with this id, it is over an hour old, or it was downloaded three times.',
)

export const lastAdmin = refusal(
  'last-admin',
  409,
  'You are the only administrator. Make another account an administrator first.',
)

const common = { tag: 'Your data', credential: 'owner-session', errors: 'problem' } as const

export const startExport = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/exports',
  summary: 'Start an export of everything you have here',
  description:
    'Takes a code of `requestConfirmation` with the purpose `export` or, without an email address, a proof of a linked wallet. Download the export at `url`, with the same account, within an hour. Three exports in 24 hours. 202 while a proof payment has not arrived.',
  request: { body: Confirmation },
  replies: {
    201: z.object({ id: Uuid, url: z.string(), expiresAt: DateTime }),
    202: TransferPending,
  },
  refusals: [...confirmationRefusals, exportLimit],
  limits: [confirmations],
  // Signatures of smart wallets contain the code that creates the wallet.
  maxBodyBytes: 64 * 1024,
})

export const downloadExport = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/account/exports/{exportId}',
  summary: 'Download an export as a ZIP file',
  description:
    'Streamed while it is made, so its length is not known in advance, and an interrupted download starts again from the beginning: three downloads in all. One at a time for an account. `README.txt` inside says what each file is. A file that breaks off has no directory at its end, so programs for ZIP files report it.',
  request: { params: z.object({ exportId: Uuid }) },
  replies: {
    200: raw('application/zip', 'Your profile, posts, images, purchases and everything else, as one ZIP file.'),
  },
  replyHeaders: { 'Content-Disposition': '`attachment`, with a file name.' },
  refusals: [exportNotFound, exportRunning],
  limits: [limit('export-downloads', { per: 'account', max: 20, seconds: 3600 })],
})

export const deleteAccount = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/deletion',
  summary: 'Delete your account for good',
  description:
    'Takes your handle, so that nobody deletes an account by mistake, and a code of `requestConfirmation` with the purpose `deletion`. An account without an email address gives a proof of a linked wallet instead of the code. Your name, email address, sign-ins, keys, drafts, unsold posts, comments and followers are deleted, and everything is signed out. Buyers can still read the posts they bought, without your name. Records of payments stay, and money that is owed is still paid to the promised address. Nobody else can take your handle. 202 until a proof payment arrives.',
  request: { body: z.strictObject({ handle: z.string().trim().max(100), confirmation: Confirmation }) },
  replies: { 200: z.object({ id: Uuid, deleted: z.literal(true) }), 202: TransferPending },
  refusals: [...confirmationRefusals, lastAdmin],
  limits: [confirmations],
  maxBodyBytes: 64 * 1024,
})
