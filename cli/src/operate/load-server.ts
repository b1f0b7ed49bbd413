import { CliError } from '../frame/cli-error.ts'

/**
 * Loads a part of the server, for commands of operators. The published package does not contain the server: writers and
 * readers do not need it.
 * @example const { backUp } = await loadServer(() => import('@pennypost/server/dist/operator/backup.js'))
 */
export async function loadServer<Part>(load: () => Promise<Part>): Promise<Part> {
  // The AWS SDK warns that it will support only newer versions of Node one day. Operators cannot do anything about it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@pennypost/server')) throw error
    throw new CliError(
      'failed',
      'server-not-installed',
      'This command needs the Pennypost server, which is not installed here.',
      {
        hints: ['Run it in a checkout of the Pennypost repository, after `npm run build`: npx pennypost …'],
      },
    )
  }
}
