import { readConfig, readSettingFiles } from './config.ts'
import { StartError } from './platform/data-dir.ts'
import { armFaultPoint } from './platform/fault-point.ts'
import { createLog } from './platform/log.ts'
import { currentTraceId } from './platform/tracing/tracing.ts'
import { type Service, startService } from './service.ts'

// Runs the service as a process, from reading the settings to a clean shutdown. Exits with 0 after SIGINT or SIGTERM.

// The AWS SDK warns at each start that it will support only newer versions of Node one day. Operators cannot do anything
// about it.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

let service: Service | undefined
let stopAsked = false

// The process exits after this time even if something hangs, such as a frozen database. An embedded database has a
// watcher, which then stops it.
const maxStopMs = 9_500
let drainMs = 0

const stop = async () => {
  if (stopAsked) return
  stopAsked = true
  setTimeout(() => process.exit(0), drainMs + maxStopMs).unref()
  // If the service is still starting, the code below stops it once it has started.
  if (!service) return
  await service.stop()
  process.exit(0)
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  const config = readConfig(readSettingFiles(process.env))
  drainMs = config.drainSeconds * 1_000
  if (config.faultPoint) armFaultPoint(config.faultPoint)
  const fields = { instance: config.instance, role: config.role }
  service = await startService(
    config,
    createLog(config.logLevel, { fields, traceId: config.tracing && currentTraceId }),
  )
  if (stopAsked) {
    await service.stop()
    process.exit(0)
  }
  const { address, missing } = service
  const lacks = `Pennypost is running and waits for what it needs (${missing.join(', ')}): see ${address}/readyz`
  console.log(missing.length === 0 ? `Pennypost is ready: ${address}` : lacks)
  if (service.claimToken !== undefined) {
    console.log(
      `There is no administrator yet. To become one, open ${service.address}/claim#token=${service.claimToken}`,
    )
  }
} catch (error) {
  console.error(error instanceof StartError ? `Pennypost cannot start: ${error.message}` : error)
  process.exit(1)
}
