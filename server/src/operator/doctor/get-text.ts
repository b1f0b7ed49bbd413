export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const maxBytes = 1024 * 1024

/** A GET whose reply is read up to a limit. Redirects are not followed, so that credentials go nowhere else. */
export async function getText(
  url: string,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Reply> {
  const response = await fetch(url, { headers, signal, redirect: 'manual' })
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new Error('the reply is too long')
    chunks.push(chunk)
  }
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() }
}
