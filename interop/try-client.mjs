// Tries one client, by its name, against the service in SERVICE. Started by run.mjs.
import { clients } from './clients.mjs'

const client = clients.find(({ name }) => name === process.argv[2])
const service = JSON.parse(process.env.SERVICE)
const report = (outcome, remark = '') => {
  process.stdout.write(`\nRESULT ${JSON.stringify({ outcome, remark })}\n`, () => process.exit())
}

if (client.needsUsdc && service.usdcPost === null)
  report('not tried', 'there is no development chain on this machine (anvil)')
else
  try {
    const { load } = client
    const { run } = await load()
    report('works', (await run(service)) ?? '')
  } catch (error) {
    if (error?.notThere) report('not tried', error.message)
    else
      report(
        'fails',
        String(error?.message ?? error)
          .split('\n')[0]
          .slice(0, 200),
      )
  }
