import { deepEqual, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openGuideService, quickStart, reasonToSkip } from './guide-service.fixture.ts'
import { runElsewhere, runHere } from './sample-runs.ts'
import { hasPython, languages, listedFiles, samplesIn } from './samples.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

test('every sample of the guides is run by a test', async () => {
  const all = (await Promise.all((await listedFiles()).map(samplesIn))).flat()
  const found = all
    .filter(
      ({ place, language }) => !(place.split(': ', 1)[0]! in runElsewhere) && (language !== 'python' || hasPython),
    )
    .map(({ place, language }) => `${place} (${language})`)
  deepEqual(found.sort(), runHere.map(({ file, heading, language }) => `${file}: ${heading} (${language})`).sort())
  for (const [file, testFile] of Object.entries(runElsewhere)) {
    const name = file.split('/').at(-1)!
    ok((await readFile(join(root, testFile), 'utf8')).includes(name), `${testFile} does not read ${file}`)
  }
})

test('the quick start works, word for word', async (t) => {
  const service = await openGuideService(t)
  for (const language of languages) {
    await t.test(`in ${language}`, { skip: reasonToSkip(language) }, () => quickStart(service, language))
  }
  await service.market.world.runJobs()
})
