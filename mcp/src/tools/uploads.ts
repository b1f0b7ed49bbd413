import { PennypostError } from '@pennypost/sdk'
import { z } from 'zod'
import { Id } from '../fields.ts'
import { type LocalFile, type ToolCall, ToolError, tool } from '../tool.ts'

const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

/** The most characters of base64 in an argument: the body of a request to `/mcp` may have two megabytes. */
const maxBase64 = 1_900_000
const Base64 = z.string().max(maxBase64)
const Path = z.string().min(1).max(1000)
const imageTypes = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' }
const ImageName = z.string().regex(/^[A-Za-z0-9_-]{1,60}$/)

const image = {
  name: 'upload_image',
  title: 'Upload an image',
  annotations,
  scope: 'publish',
  output: z.object({
    state: z.string().describe('"checking": call again with the same image to wait on.'),
    markdown: z.string().describe('Put this into the text of the post.'),
    url: z.string().nullable(),
  }),
} as const

export const uploadImage = tool({
  ...image,
  place: 'hosted',
  description:
    'Add an image (PNG, JPEG, GIF, WebP; at most 1.4 MB here) to one of your posts and get the Markdown that shows it. Larger ones: the SDK or `npx pennypost mcp`.',
  input: z.strictObject({
    postId: Id,
    name: ImageName,
    data: Base64.describe('base64'),
    type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  }),
  run: (call, { postId, name, data, type }) => sendImage(call, postId, name, bytesOf(data, type), type),
})

export const uploadLocalImage = tool({
  ...image,
  place: 'local',
  description:
    'Add an image file (PNG, JPEG, GIF, WebP) of this machine to one of your posts and get the Markdown that shows it. The file must be in a folder that the user allowed.',
  input: z.strictObject({ postId: Id, name: ImageName, path: Path }),
  async run(call, { postId, name, path }) {
    const file = await openLocal(call, path)
    const ending = file.name.split('.').at(-1)!.toLowerCase()
    const type = (imageTypes as Record<string, string>)[ending]
    if (type === undefined) throw new ToolError('Images end in .png, .jpg, .jpeg, .gif or .webp.')
    return sendImage(call, postId, name, file.blob, type)
  },
})

const zip = {
  name: 'attach_zip',
  title: 'Attach a ZIP file',
  annotations,
  scope: 'publish',
  output: z.object({
    state: z.string().describe('"checking": call again with the same file to wait on.'),
    attachmentId: z.string().nullable(),
    sizeBytes: z.number(),
  }),
} as const

const Filename = z.string().regex(/^[^/\\]{1,120}\.zip$/i)

export const attachZip = tool({
  ...zip,
  place: 'hosted',
  description:
    'Attach a ZIP file (at most 1.4 MB here) to one of your posts, for its buyers. Larger files go through the SDK or `npx pennypost mcp`, in parts that can be resumed.',
  input: z.strictObject({ postId: Id, filename: Filename, data: Base64.describe('base64') }),
  run: (call, { postId, filename, data }) => sendZip(call, postId, filename, bytesOf(data, 'application/zip')),
})

export const attachLocalZip = tool({
  ...zip,
  place: 'local',
  description:
    'Attach a ZIP file of this machine to one of your posts, for its buyers. Continues where a broken upload stopped. The file must be in a folder that the user allowed.',
  input: z.strictObject({ postId: Id, path: Path }),
  async run(call, { postId, path }) {
    const file = await openLocal(call, path)
    return sendZip(call, postId, file.name, file.blob)
  },
})

function bytesOf(data: string, type: string): Blob {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data)) throw new ToolError('data must be base64.')
  return new Blob([Buffer.from(data, 'base64')], { type })
}

function openLocal({ openFile }: ToolCall, path: string): Promise<LocalFile> {
  if (!openFile) throw new ToolError('Files of this machine cannot be read here.')
  return openFile(path)
}

async function sendImage(
  { pennypost, signal, waitSeconds }: ToolCall,
  postId: string,
  name: string,
  blob: Blob,
  type: string,
) {
  const markdown = `![](image:${name})`
  const uploaded = await unlessChecking(pennypost.images.upload(postId, name, blob, { type, signal, waitSeconds }))
  return { data: { state: uploaded ? 'ready' : 'checking', markdown, url: uploaded?.publicUrl ?? null } }
}

async function sendZip({ pennypost, signal, waitSeconds }: ToolCall, postId: string, filename: string, blob: Blob) {
  const uploaded = await unlessChecking(pennypost.attachments.upload(postId, blob, { filename, signal, waitSeconds }))
  return {
    data: { state: uploaded ? 'ready' : 'checking', attachmentId: uploaded?.id ?? null, sizeBytes: blob.size },
  }
}

/** The upload, or undefined if its check takes longer than a call may wait. */
async function unlessChecking<Uploaded>(uploading: Promise<Uploaded>): Promise<Uploaded | undefined> {
  try {
    return await uploading
  } catch (error) {
    if (error instanceof PennypostError && error.code === 'timeout' && error.operation === undefined) return undefined
    throw error
  }
}
