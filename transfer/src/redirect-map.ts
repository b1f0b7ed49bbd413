import type { ImportReport } from './report.ts'

export type RedirectFormat = 'csv' | 'nginx' | 'caddy' | 'netlify'

/**
 * Where each old page is now, in the form that web servers read: for an old site that stays on its own domain. Paths are
 * percent-encoded, so none of them can be more than a path.
 */
export function redirectMap({ posts }: Pick<ImportReport, 'posts'>, format: RedirectFormat): string {
  const pairs = posts.flatMap(({ oldPaths = [], pageUrl, status }) =>
    pageUrl === undefined || status !== 'published' ? [] : oldPaths.map((path) => [path, pageUrl] as const),
  )
  const lines = [...new Map(pairs)].flatMap(([path, url]) => lineOf(format, path, url) ?? [])
  if (format === 'csv') return ['from,to', ...lines, ''].join('\r\n')
  if (format === 'nginx') return ['map $uri $pennypost_url {', ...lines, '}', ''].join('\n')
  return [...lines, ''].join('\n')
}

/** Undefined for a path that would mean something else in this format: many paths, or a variable. */
function lineOf(format: RedirectFormat, path: string, url: string): string | undefined {
  if (format === 'csv') return `${quoted(path)},${quoted(url)}`
  if (/[*:{}$~"\\;]/.test(path)) return undefined
  if (format === 'caddy') return `redir ${path} ${url} permanent\nredir ${path}/ ${url} permanent`
  if (format === 'netlify') return `${path} ${url} 301`
  // nginx compares decoded paths.
  const decoded = decoding(path)
  return decoded === undefined ? undefined : `  "${decoded}" "${url}";\n  "${decoded}/" "${url}";`
}

function decoding(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path)
    return /[\p{Cc}$"\\;]/u.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
