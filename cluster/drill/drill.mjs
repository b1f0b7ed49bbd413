// A restore drill: everything that an operator does after a disk is gone, with a clock beside it.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordTrials } from '../../bench/results.mjs'
import { createMailServer, createNanoNode, createS3 } from '../external-servers.mjs'
import { openNanoNetwork } from '../people.mjs'
import { createDrillPeople } from './drill-people.mjs'
import { createKey, createService, readBucket, runPennypost } from './service.mjs'

const maxMinutes = 5
/** The rows and files that exist before the backup. */
const amounts = { authors: 5, postsOfEach: 40, images: 20, buyers: 12 }

/** Returns whether nothing was lost. */
export async function drill() {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-drill-'))
  const ports = { s3: 4610, smtp: 4611, mail: 4612, nano: 4613, service: 4614 }
  const s3 = createS3({ folder, port: ports.s3 })
  const smtp = createMailServer({ folder, port: ports.smtp, httpPort: ports.mail })
  const nano = createNanoNode({ folder, port: ports.nano })
  const steps = []
  const step = async (label, act) => {
    console.log(`${label} …`)
    const began = performance.now()
    const result = await act()
    steps.push({ label, seconds: (performance.now() - began) / 1000 })
    return result
  }
  let service
  try {
    await Promise.all([s3, smtp, nano].map((each) => each.start()))
    const network = openNanoNetwork(nano)
    const key = await createKey(join(folder, 'key.txt'))
    const settings = {
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Pennypost <post@pennypost.example>',
      NANO_RPC_URL: nano.rpcUrl,
      NANO_WS_URL: nano.wsUrl,
      NANO_NETWORK: 'dev',
      BACKUP_URL: s3.url,
      BACKUP_RECIPIENTS: key.recipient,
    }
    const first = { ...settings, DATA_DIR: join(folder, 'first') }
    const second = { ...settings, DATA_DIR: join(folder, 'second') }
    service = createService({ folder, port: ports.service, settings: first })
    await service.start()
    const people = await createDrillPeople({ origin: service.origin, smtp, network })
    await step('fill the service: posts, images, sales', () => people.fill(amounts))

    const writing = people.keepWriting()
    const backup = await step('back up, encrypted, into a bucket, under writes', () =>
      runPennypost(first, 'backup', '--json'),
    )
    const meanwhile = await writing.stop()
    const taken = JSON.parse(backup)
    const leaks = await readBucket(join(folder, 'objects'), first.DATA_DIR)
    const later = await step('sell on', () => people.sellOn())

    await step('kill the service, lose its database and its folder but for the journal', async () => {
      await service.kill()
      await people.payWhileDown()
      mkdirSync(second.DATA_DIR)
      cpSync(join(first.DATA_DIR, 'journal'), join(second.DATA_DIR, 'journal'), { recursive: true })
      rmSync(first.DATA_DIR, { recursive: true })
    })
    const down = performance.now()
    const restored = await step('restore into an empty place, and recover what was sold since', () =>
      runPennypost(second, 'restore', '--yes', '--json', '--identity', key.file),
    )
    const recovery = JSON.parse(restored)
    service = createService({ folder, port: ports.service, settings: second })
    await step('start', () => service.start())
    const downMinutes = (performance.now() - down) / 60_000
    const audit = await step('audit', () => runPennypost(second, 'audit', '--json').catch((error) => error.message))
    const lost = await step('compare', () => people.compare(service.origin))

    const none = (label, count) => ({ label, ours: count, goal: 'none', isMet: count === 0 })
    const verdicts = [
      {
        label: 'minutes from an empty place to serving',
        ours: downMinutes.toFixed(1),
        goal: `under ${maxMinutes}`,
        isMet: downMinutes < maxMinutes,
      },
      none('secrets, addresses or texts that are readable in the bucket', leaks),
      none('buyers who paid, before or after the backup, and may not read', lost.buyers),
      none('posts acknowledged before the backup and gone or changed', lost.posts),
      none('images acknowledged before the backup and gone or changed', lost.images),
      none('payments of unknown buyers that did not come back', lost.returns),
      none('records that need a person', recovery.unrecoverable.length),
      none('findings of the audit', countFindings(audit)),
    ]
    recordTrials({ name: 'drill', title: 'Restore drill' }, [
      {
        label: 'rows, files, MB in the bucket',
        ours: `${taken.rows}, ${taken.files}, ${(taken.sizeBytes / 1e6).toFixed(1)}`,
      },
      { label: 'written during the backup: posts, sales', ours: `${meanwhile.posts}, ${meanwhile.sales}` },
      { label: 'sold after it, with and without a buyer in the backup', ours: `${later.known}, ${later.unknown}` },
      { label: 'recovered, sent back', ours: `${recovery.recovered}, ${recovery.returning}` },
      ...steps.map(({ label, seconds }) => ({ label: `seconds: ${label}`, ours: seconds.toFixed(1) })),
      { label: 'posts written after the backup and lost with it', ours: lost.laterPosts },
      ...verdicts,
    ])
    await network.close()
    return verdicts.every(({ isMet }) => isMet)
  } finally {
    for (const each of [service, s3, smtp, nano]) await each?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the audit printed, or why it failed. */
function countFindings(output) {
  const found = /"findings":\s*(\d+|\[)/.exec(output)
  if (!found) return output.slice(0, 200)
  return found[1] === '[' ? JSON.parse(output).findings.length : Number(found[1])
}
