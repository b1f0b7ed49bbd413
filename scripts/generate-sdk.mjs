// npm run generate              writes what the SDK has from the contract: sdk/src/generated
// npm run generate -- --check   fails if that is not current
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

await prepare()
const { contract } = await import('../contract/dist/contract.js')
const { generate } = await import('../sdk/dist/generate/generate.js')
const folder = join(root, 'sdk', 'src', 'generated')
const stale = [...generate(contract)].filter(([name, text]) => textOf(join(folder, name)) !== text)
if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    console.error(
      `Not current: ${stale.map(([name]) => `sdk/src/generated/${name}`).join(', ')}. Run npm run generate.`,
    )
    process.exit(1)
  }
} else {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of stale) writeFileSync(join(folder, name), text)
  console.log(stale.length === 0 ? 'Nothing has changed.' : `Wrote ${stale.map(([name]) => name).join(', ')}.`)
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
