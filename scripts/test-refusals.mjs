import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './prepare.mjs'

const listFile = join(root, 'server', 'src', 'test', 'unreached-refusals.txt')

/**
 * Every refusal that an endpoint of the contract declares is reached by a test. Those that are not are listed in
 * unreached-refusals.txt, one `operation code` to a line, and the list only shrinks. Returns whether all is well. Without
 * anvil the tests with USDC were skipped, so refusals that only they reach do not count as missing.
 */
export async function checkRefusals(collected, { isUpdate = false } = {}) {
  const { contract, developmentContract, siteContract } = await import('@pennypost/contract/contract')
  const declared = new Set(
    Object.entries({ ...contract, ...siteContract, ...developmentContract }).flatMap(([operation, { refusals = [] }]) =>
      refusals.map(({ code }) => `${operation} ${code}`),
    ),
  )
  const reached = new Set(
    readdirSync(dirname(collected))
      .filter((name) => name.startsWith(basename(collected)))
      .flatMap((name) => linesOf(join(dirname(collected), name))),
  )
  const unreached = [...declared].filter((pair) => !reached.has(pair)).sort()
  if (isUpdate) writeFileSync(listFile, `${unreached.join('\n')}\n`)
  const listed = linesOf(listFile)
  const added = unreached.filter((pair) => !listed.includes(pair))
  const gone = listed.filter((pair) => !declared.has(pair))
  const done = listed.filter((pair) => reached.has(pair))
  const say = (what, pairs) => pairs.length > 0 && console.log(`\n${what}\n  ${pairs.join('\n  ')}`)
  console.log(`${declared.size - unreached.length} of ${declared.size} declared refusals are reached by a test`)
  const { findAnvil } = await import('../server/dist/development/base-chain/anvil-program.js')
  const hasAnvil = (await findAnvil()) !== undefined
  if (!hasAnvil) say('There is no anvil for this machine, so the tests with USDC were skipped. Reached by none:', added)
  else say('✖ Declared, but reached by no test. Write one:', added)
  say('✖ No longer declared. Delete from server/src/test/unreached-refusals.txt:', gone)
  say('Reached by now. Delete from server/src/test/unreached-refusals.txt:', done)
  return (added.length === 0 || !hasAnvil) && gone.length === 0
}

const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean)
