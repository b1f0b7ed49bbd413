import { readConfig } from './platform/config.ts'
import { StartError } from './platform/data-dir.ts'
import { armFaultPoint } from './platform/fault-point.ts'
import { createLog } from './platform/log.ts'
import { type Service, startService } from './service.ts'

// One process, from settings to a clean end. The exit code is 0 when it was asked to stop.

let service: Service | undefined
let stopAsked = false

// Whatever does not answer, a frozen database say, the process ends in time; the database's own watcher ends it then.
const longestStopMs = 9_500

const stop = async () => {
  if (stopAsked) return
  stopAsked = true
  setTimeout(() => process.exit(0), longestStopMs).unref()
  // While still starting, the start itself notices and stops what it began.
  if (!service) return
  await service.stop()
  process.exit(0)
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  const config = readConfig(process.env)
  if (config.faultPoint) armFaultPoint(config.faultPoint)
  service = await startService(config, createLog(config.logLevel))
  if (stopAsked) {
    await service.stop()
    process.exit(0)
  }
  console.log(`Pennypost is ready: ${service.address}`)
} catch (error) {
  console.error(error instanceof StartError ? `Pennypost cannot start: ${error.message}` : error)
  process.exit(1)
}
