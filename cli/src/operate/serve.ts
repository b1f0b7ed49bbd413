import { command } from '../frame/command.ts'
import { loadServer } from './load-server.ts'
import { readSettings, settingsOptions } from './operate.ts'

// Bundled: it starts in half the time. In a variable, because it has no types.
const program: string = '@pennypost/server/bundle/main.js'

export const serve = command({
  name: 'serve',
  summary: 'Run the service in this process',
  description:
    'Reads its settings from the environment: docs/settings.md lists them. Compiles and installs nothing. SIGTERM and SIGINT stop it gracefully, with exit code 0; it exits with 1 if it cannot start. In a fresh clone, npm start builds it first.',
  options: settingsOptions,
  examples: [
    ['pennypost serve', 'with the embedded database, in ./data'],
    ['pennypost serve --settings /etc/pennypost.env', 'with the settings in a file'],
  ],
  async run({ options }, shell) {
    // The service is the process from here on: it reads the environment, stops at signals and chooses the exit code.
    Object.assign(process.env, await readSettings(shell, options.settings))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
    await loadServer(() => import(program))
    await new Promise(() => {})
  },
})
