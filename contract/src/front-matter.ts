/** Facts at the beginning of a Markdown file, as YAML. JSON is valid YAML, and no value in it can end its line. */
export function frontMatter(facts: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n\n`
}
