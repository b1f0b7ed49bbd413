/**
 * Sets simple facts in the front matter of a file and leaves everything else in it unchanged: comments, order, line breaks.
 * A file without a front matter gets one.
 */
export function setFacts(file: string, facts: Readonly<Record<string, string>>): string {
  const [, start, fence] = /^(\uFEFF?)(---|\+\+\+)[ \t]*\r?\n/.exec(file) ?? []
  const eol = /^[^\n]*\r\n/.test(file) ? '\r\n' : '\n'
  const isToml = fence === '+++'
  const line = (name: string, value: string) => `${name}${isToml ? ' = ' : ': '}${JSON.stringify(value)}`
  const lines = file.split('\n')
  const end = lines.findIndex((each, index) => index > 0 && isEnd(each.replace(/\r$/, '').trimEnd(), isToml))
  if (start === undefined || end === -1) {
    const head = Object.entries(facts).map(([name, value]) => line(name, value))
    return ['---', ...head, '---', '', ''].join(eol) + file
  }
  const carriage = eol === '\r\n' ? '\r' : ''
  const head = lines.slice(0, end)
  for (const [name, value] of Object.entries(facts)) {
    const at = head.findIndex(
      (each) => each.startsWith(`${name}:`) || (isToml && new RegExp(`^${name}\\s*=`).test(each)),
    )
    if (at === -1) head.push(line(name, value) + carriage)
    else head[at] = line(name, value) + carriage
  }
  return [...head, ...lines.slice(end)].join('\n')
}

const isEnd = (line: string, isToml: boolean): boolean => (isToml ? line === '+++' : line === '---' || line === '...')
