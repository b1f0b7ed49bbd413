// How long the samples of each guide run until its first result, against a service that has just been started.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fundNano } from './service.mjs'

const { runSample, samplesIn, hasPython } = await import('../server/dist/test/docs/samples.js')
const { zip } = await import('../server/dist/uploads/uploads.fixture.js')

/** The samples to run, in their order, and what the last one shows. */
const guides = [
  { file: 'quick-start.md', steps: ['Publish a post'], result: 'the URL of a post' },
  { file: 'publish-with-an-agent.md', steps: ['Publish something for sale'], result: 'the URL of a post for sale' },
  {
    file: 'sell-files.md',
    steps: ['Write the post', 'Attach the file', 'Publish it'],
    result: 'the URL of a post with a ZIP',
  },
  {
    file: 'pay-as-an-agent.md',
    steps: ['Find something', 'See what it costs', 'Pay with a wallet that can only send'],
    result: 'the paid part',
  },
]

/** A row of Markdown for each guide. */
export async function measureFirstCalls(service) {
  const rows = []
  for (const { file, steps, result } of guides) {
    const times = []
    for (const language of ['sh', 'js', ...(hasPython ? ['python'] : [])])
      times.push(`${(await secondsOf(service, file, steps, language)).toFixed(1)} s`)
    const title = file.replace('.md', '').replaceAll('-', ' ')
    rows.push(`| [${title}](${file}) | ${result} | ${steps.length} | ${times.join(' | ')} |`)
  }
  const header = ['| Guide | First result | Samples to run | curl | JavaScript | Python |', '|---|---|---|---|---|---|']
  return [...header, ...rows].join('\n')
}

async function secondsOf(service, file, steps, language) {
  const { origin, folder, key, nanoPost } = service
  writeFileSync(join(folder, 'drawings.zip'), zip({ 'engine.txt': `For ${language}` }))
  const env = { PENNYPOST_KEY: key, POST_ID: nanoPost, STATE_FOLDER: folder }
  const started = performance.now()
  let isPaid = false
  for (const heading of steps) {
    const sample = (await samplesIn(file)).find(
      (each) => each.place === `${file}: ${heading}` && each.language === language,
    )
    const meanwhile = async (printed) => {
      const [, address, amount] = /nano:(nano_\w+)\?amount=(\d+)/.exec(printed) ?? []
      if (!address || isPaid) return
      isPaid = true
      await fundNano(service, address, amount)
    }
    const printed = await runSample(sample, { origin, folder, env, meanwhile })
    if (heading === 'Write the post') env.POST_ID = printed.trim()
  }
  return (performance.now() - started) / 1000
}
