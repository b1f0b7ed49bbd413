import { match, ok } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openMarket } from '../../payments/market.fixture.ts'
import { freePort } from '../free-port.ts'
import { folderFor } from '../service-process.ts'
import { hasPython, type Language, runSample, samplesIn } from './samples.ts'

/** A service that listens, with an author, a post for sale and a buyer; and the samples of guides, run against it. */
export async function openGuideService(t: TestContext) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const market = await openMarket(t, { settings: { BASE_URL: origin }, isolation: 'own' })
  await market.world.server.listen({ host: '127.0.0.1', port })
  const folder = await folderFor(t)
  const env = { PENNYPOST_KEY: market.creator.publisher.token!, STATE_FOLDER: folder }
  const done = new Set<string>()
  /** Runs the sample below a heading. There must be exactly one in the language. */
  const run = async (
    file: string,
    heading: string,
    language: string,
    more: Record<string, string> = {},
    meanwhile: (printed: string) => Promise<unknown> = () => market.world.runJobs(),
  ) => {
    const place = `${file}: ${heading}`
    const [sample, ...others] = (await samplesIn(file)).filter(
      (each) => each.place === place && each.language === language,
    )
    ok(sample && others.length === 0, `${place} has no sample in ${language}, or several`)
    done.add(`${place} (${language})`)
    return runSample(sample, { origin, folder, env: { ...env, ...more }, meanwhile })
  }
  return { market, origin, folder, run, done }
}

export type GuideService = Awaited<ReturnType<typeof openGuideService>>

/** The reason why a language is skipped, if it is. */
export const reasonToSkip = (language: Language) => language === 'python' && !hasPython && 'python3 is not installed'

export async function quickStart({ market, run, origin }: GuideService, language: Language) {
  const url = await run('quick-start.md', 'Publish a post', language)
  match(url, new RegExp(`^${origin}/posts/[0-9a-f-]{36}\\n$`))
  await market.world.runJobs()
  match(await run('quick-start.md', 'Read it back', language), /Hello, world/)
}
