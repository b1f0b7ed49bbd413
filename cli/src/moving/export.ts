import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withCode } from '../account/with-code.ts'
import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { openOwner } from '../profile/client.ts'
import { privateFile } from '../profile/write-file.ts'
import { saveDownload } from '../reading/download.ts'

export const exportAccount = command({
  name: 'export',
  summary: 'Download everything your account has as one ZIP file',
  description:
    'Posts as Markdown, images, files, comments, purchases, sales and settings, in a file that only you can read. The service emails a code, and the command asks for it. pennypost import reads the ZIP file. Three exports in 24 hours.',
  positionals: [{ name: 'FILE', summary: 'the ZIP file to write', isPath: true, optional: true }],
  options: { force: { type: 'boolean', summary: 'Replace the file if it exists' } },
  async run({ args: { FILE }, options }, shell) {
    const { pennypost } = await openOwner(shell)
    const { signal, output } = shell
    const path = resolve(shell.cwd, FILE ?? `pennypost-${new Date().toISOString().slice(0, 10)}.zip`)
    if (
      !options.force &&
      (await access(path).then(
        () => true,
        () => false,
      ))
    )
      throw new CliError('failed', 'file-exists', `${path} already exists. Replace it with --force.`)
    await pennypost.operations.requestConfirmation({ body: { purpose: 'export' } }, { signal })
    output.note('We emailed you a code.')
    const started = await withCode(shell, (code) => pennypost.operations.startExport({ body: { code } }, { signal }))
    if (started.status !== 201) throw new CliError('failed', 'not-confirmed', 'The export was not confirmed.')
    const download = await pennypost.operations.downloadExport.download(
      { params: { exportId: started.body.id } },
      { signal },
    )
    // It has the emails of subscribers in it, and what was bought.
    const bytes = await saveDownload(download, path, { signal, bar: output.progress('Exporting'), mode: privateFile })
    output.result({ file: path, bytes }, [`Wrote ${path} (${(bytes / 1024 / 1024).toFixed(1)} MiB).`])
  },
})
