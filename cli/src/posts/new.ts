import { access, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'

export const postNew = command({
  name: 'post new',
  summary: 'Begin a post: write a Markdown file with a front matter to fill in',
  positionals: [{ name: 'FILE', summary: 'the new file, such as my-post.md', isPath: true }],
  options: {
    title: { type: 'string', value: 'TEXT', summary: 'The title' },
    price: { type: 'string', value: 'PRICE', summary: 'The price, such as "0.1 XNO" or "0.25 USDC"' },
    language: { type: 'string', value: 'LANGUAGE', summary: 'The language of the text', default: 'en' },
  },
  examples: [['pennypost post new my-post.md --title "On engines" --price "0.1 XNO"', 'a post that is sold']],
  async run({ args: { FILE }, options }, { cwd, output }) {
    const path = resolve(cwd, FILE)
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      throw new CliError('failed', 'file-exists', `${path} already exists.`)
    await writeFile(path, template(options), { flag: 'wx' })
    output.result({ file: path }, [`Wrote ${FILE}. Then: pennypost post push ${FILE}`])
  },
})

function template({
  title,
  price,
  language,
}: {
  title: string | undefined
  price: string | undefined
  language: string
}): string {
  const quoted = (text: string) => JSON.stringify(text)
  return `---
title: ${quoted(title ?? 'Untitled')}
description: ""
tags: []
# technology, science, business, finance, politics, culture, arts, fiction, education, health, sports, lifestyle, gaming or other
category: other
language: ${quoted(language)}
# human, ai_assisted, ai_generated or autonomous_agent
creationMethod: human
${price === undefined ? '# price: 0.1 XNO' : `price: ${quoted(price)}`}
---

What everyone can read.

${
  price === undefined
    ? ''
    : `<!--paid-->

What readers pay for.
`
}`
}
